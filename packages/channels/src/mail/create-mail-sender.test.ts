import type { AddressInfo, Socket } from 'node:net'
import { openOutbox } from '@cadre/home'
import type { MailMessage } from '@cadre/tools'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestHome, testHome } from '../channel.spec-helpers.ts'
import { createMailSender } from './create-mail-sender.ts'
import { readMailOut } from './mail-settings.ts'

const password = 'secret-word-of-cadre'
const signal = new AbortController().signal
const message = { to: 'bob@example.org', subject: 'Redis', text: 'It is up.' }

let folder: TestHome
let servers: SMTPServer[] = []

beforeEach(() => {
  folder = testHome()
})
afterEach(async () => {
  for (const server of servers) await new Promise<void>((resolve) => server.close(() => resolve()))
  servers = []
  folder[Symbol.dispose]()
})

interface Taken {
  readonly to: string[]
  readonly text: string
}

/** A real SMTP server. `end` decides its response after it has received a complete email. */
async function startServer(
  more: { end?: (socket: Socket) => Error | 'taken' | 'gone'; options?: SMTPServerOptions } = {},
) {
  const taken: Taken[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 100,
    onAuth: ({ username, password: given }, _session, done) =>
      given === password ? done(null, { user: username }) : done(new Error(`wrong password ${given}`)),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('nobody') ? done(new Error('no such mailbox')) : done(),
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const end = more.end?.(sockets.at(-1) as Socket) ?? 'taken'
        if (end === 'taken' || end === 'gone')
          taken.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            text: Buffer.concat(parts).toString('utf8'),
          })
        if (end !== 'gone') done(end === 'taken' ? null : end)
      })
    },
    ...more.options,
  })
  const sockets: Socket[] = []
  server.server.on('connection', (socket: Socket) => sockets.push(socket))
  server.on('error', () => {})
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return { taken, port }
}

/** Simulates a new process, which knows only what is on disk. */
function open(
  port: number,
  more: { user?: boolean; password?: string; host?: string; timeoutMs?: number } = {},
) {
  const smtp = {
    host: more.host ?? '127.0.0.1',
    port,
    secure: false,
    from: 'cadre@example.org',
    ...(more.user !== false && { user: 'cadre', password_env: 'PW' }),
  }
  const out = readMailOut({ out: { smtp } }, { PW: more.password ?? password })
  if (out === undefined) throw new Error('no way out')
  const outbox = openOutbox(folder.home)
  const { timeoutMs = 30_000 } = more
  return { outbox, sender: createMailSender({ out, outbox, timeoutMs }) }
}
const told = () => folder.lines('inbox/email-inbox.jsonl')

test('sends an email once, with an id derived from its key, and records it in the inbox', async () => {
  const { port, taken } = await startServer()
  const reply = { ...message, to: 'bob@example.org, eve@example.org', in_reply_to: '<1@example.org>' }
  const end = await open(port).sender.send(reply, 's/c1', signal)
  expect(end).toEqual({
    kind: 'sent',
    text: expect.stringMatching(/^Sent as <cadre\.[0-9a-f]{32}@example\.org>\.$/),
  })
  expect(await open(port).sender.send(reply, 's/c1', signal)).toEqual(end)
  expect(taken).toHaveLength(1)
  expect(taken[0]?.to).toEqual(['bob@example.org', 'eve@example.org'])
  for (const header of [
    'From: cadre@example.org',
    'Subject: Redis',
    'In-Reply-To: <1@example.org>',
    'References: <1@example.org>',
  ])
    expect(taken[0]?.text).toContain(header)
  expect(taken[0]?.text).toContain(end.text.slice('Sent as '.length, -1))
  expect(told()).toMatchObject([
    { direction: 'out', from: 'cadre@example.org', subject: 'Redis', text: 'It is up.' },
  ])
  expect(await open(port).sender.check(reply, 's/c1', signal)).toBe('done')
})

test('text of every kind arrives unchanged, and ends no mail early', async () => {
  const { port, taken } = await startServer()
  const text = 'Grüße\n.\nQUIT\r\n..\n\u{1F600} end'
  await open(port).sender.send({ ...message, subject: 'Grüße \u{1F600}', text }, 's/c1', signal)
  expect(taken).toHaveLength(1)
  const { readMail } = await import('./read-mail.ts')
  const bytes = Buffer.from(taken[0]?.text ?? '')
  expect(await readMail({ bytes, size: bytes.length, at: 0 })).toMatchObject({
    subject: 'Grüße \u{1F600}',
    text: expect.stringContaining('Grüße\n.\nQUIT\n..\n\u{1F600} end'),
  })
})

test.each<[string, Partial<MailMessage>]>([
  ['a second header in the recipient', { to: 'bob@example.org\r\nBcc: eve@evil.example' }],
  ['a name before the address', { to: 'Bob <bob@example.org>' }],
  ['an invalid recipient', { to: 'bob@example.org, ' }],
  ['a command in the recipient', { to: 'bob@example.org>\r\nDATA' }],
  ['a quoted receiver', { to: '"a b"@example.org' }],
  ['too many recipients', { to: Array.from({ length: 21 }, (_, n) => `u${n}@example.org`).join(',') }],
  ['a second header in the subject', { subject: 'Hello\r\nBcc: eve@evil.example' }],
  ['a line break in the subject', { subject: 'Hello\u2028there' }],
  ['a second header in the id', { in_reply_to: '<1@a>\r\nBcc: eve@evil.example' }],
  ['an invalid id', { in_reply_to: 'yesterday' }],
  ['a NUL in the text', { text: 'a\0b' }],
])('%s: sends nothing', async (_, more) => {
  const { port, taken } = await startServer()
  const { sender, outbox } = open(port)
  expect(await sender.send({ ...message, ...more }, 's/c1', signal)).toMatchObject({ kind: 'failed' })
  expect(taken).toEqual([])
  expect(outbox.find('mail', 's/c1')).toBeUndefined()
})

test('an email that the server rejected was not sent, and can be sent again', async () => {
  let isBusy = true
  const busy = Object.assign(new Error('come back later'), { responseCode: 451 })
  const { port, taken } = await startServer({ end: () => (isBusy ? busy : 'taken') })
  const { sender } = open(port)
  expect(await sender.send(message, 's/c1', signal)).toMatchObject({
    kind: 'failed',
    text: expect.stringMatching(/^The email was not sent\. .*come back later/),
  })
  expect(await sender.check(message, 's/c1', signal)).toBe('not_done')
  isBusy = false
  expect(await sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  expect(taken).toHaveLength(1)
})

test('reports which recipients were rejected', async () => {
  const { port } = await startServer()
  const end = await open(port).sender.send(
    { ...message, to: 'bob@example.org,nobody@example.org' },
    's/c1',
    signal,
  )
  expect(end).toMatchObject({
    kind: 'sent',
    text: expect.stringContaining('rejected these recipients: nobody@example.org'),
  })
  expect(
    await open(port).sender.send({ ...message, to: 'nobody@example.org' }, 's/c2', signal),
  ).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('The email was not sent'),
  })
})

test('if the connection breaks after the text, the result is unknown, so a person decides', async () => {
  let isBroken = true
  const { port, taken } = await startServer({
    end(socket) {
      if (!isBroken) return 'taken'
      socket.destroy()
      return 'gone'
    },
  })
  expect(await open(port).sender.send(message, 's/c1', signal)).toMatchObject({
    kind: 'failed',
    text: expect.stringContaining('not know whether the server accepted'),
  })
  expect(await open(port).sender.check(message, 's/c1', signal)).toBe('unknown')
  expect(taken).toHaveLength(1)
  // The person chose to send it again. Both emails have the same id.
  isBroken = false
  expect(await open(port).sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'sent' })
  const idOf = ({ text }: Taken) => /^Message-ID: (.*)$/m.exec(text)?.[1]
  expect(idOf(taken[0] as Taken)).toBe(idOf(taken[1] as Taken))
  expect(told()).toHaveLength(1)
})

test('a crash while sending: the result is unknown', async () => {
  const { port } = await startServer()
  void open(port).outbox.send(
    { channel: 'mail', key: 's/c1', inbox: 'email-inbox', message },
    () => new Promise(() => {}),
  )
  await expect.poll(() => open(port).sender.check(message, 's/c1', signal)).toBe('unknown')
})

test('an unreachable server, or a rejected sign-in: not sent, and no password in the message', async () => {
  const { port } = await startServer()
  const wrong = 'the-wrong-password'
  const ends = [
    await open(9, { timeoutMs: 5_000 }).sender.send(message, 's/1', signal),
    await open(port, { password: wrong }).sender.send(message, 's/2', signal),
  ]
  for (const { kind, text } of ends) {
    expect(kind).toBe('failed')
    expect(text).toContain('The email was not sent.')
  }
  const everything = JSON.stringify([ends, folder.lines('outbox/mail.jsonl')])
  expect(everything).not.toContain(wrong)
  expect(everything).not.toContain(password)
})

test('requires TLS over a network: a server without it gets neither password nor mail', async () => {
  let wasAsked = false
  const { port, taken } = await startServer({
    options: {
      onAuth(_auth, _session, done) {
        wasAsked = true
        done(null, { user: 'x' })
      },
    },
  })
  // The same server, as if it were on another host.
  const outbox = openOutbox(folder.home)
  const server = { host: '127.0.0.1', port, secure: false, isLocal: false, user: 'cadre', password }
  const sender = createMailSender({ out: { server, from: 'cadre@example.org' }, outbox })
  expect(await sender.send(message, 's/c1', signal)).toMatchObject({ kind: 'failed' })
  expect(wasAsked).toBe(false)
  expect(taken).toEqual([])
})
