import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readMail } from './read-mail.ts'

const at = Date.parse('2026-01-02T03:04:05Z')
const read = (text: string | Buffer, size?: number) => {
  const bytes = Buffer.from(text)
  return readMail({ bytes, size: size ?? bytes.byteLength, at })
}

test('a plain email', async () => {
  const text = [
    'From: "Bob, the builder" <Bob@Example.org>',
    'To: a@example.org, Team: b@example.org, c@example.org;',
    'Cc: d@example.org',
    'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    'Message-ID: <1@example.org>',
    'In-Reply-To: <0@example.org>',
    '',
    'Hello\r\nthere',
  ].join('\r\n')
  expect(await read(text)).toEqual({
    id: '<1@example.org>',
    at: '2026-01-02T03:04:05.000Z',
    direction: 'in',
    from: 'bob@example.org',
    to: ['a@example.org', 'b@example.org', 'c@example.org', 'd@example.org'],
    subject: 'Grüße',
    text: 'Hello\nthere\n',
    in_reply_to: '<0@example.org>',
    attachments: [],
  })
})

test('attachments have names and sizes, never content', async () => {
  const line = await read(
    [
      'From: a@b.c',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'see attached',
      '--x',
      'Content-Type: application/pdf; name="../../etc/pass\twd.pdf"',
      'Content-Disposition: attachment',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('top secret').toString('base64'),
      '--x--',
      '',
    ].join('\r\n'),
  )
  expect(line).toMatchObject({
    text: expect.stringContaining('see attached'),
    attachments: [{ type: 'application/pdf', size: 10 }],
  })
  expect(JSON.stringify(line)).not.toContain('top secret')
})

test('HTML becomes text', async () => {
  const line = await read(
    'From: a@b.c\r\nContent-Type: text/html\r\n\r\n<html><head><style>p{}</style><title>t</title></head><body><p>Hello <b>you</b></p><script>alert(1)</script><ul><li>one</li></ul></body></html>',
  )
  expect(line['text']).toContain('Hello you')
  expect(line['text']).toContain('one')
  expect(line['text']).not.toMatch(/[<>]|alert|p\{\}/)
})

test.each([
  ['no-such-charset', 'caf\xe9'],
  ['utf-8', 'caf\xe9'],
  ['utf-16', 'caf\xe9'],
])('a wrong charset (%s) keeps what can be read', async (charset, body) => {
  const head = `From: a@b.c\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`
  const line = await read(Buffer.from(head + body, 'latin1'))
  expect(line.from).toBe('a@b.c')
  expect(typeof line['text']).toBe('string')
  expect(line['damaged']).toBeUndefined()
})

test('ISO-8859-1 and windows-1252 are read as such', async () => {
  const head = 'From: a@b.c\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n'
  expect((await read(Buffer.from(`${head}caf\xe9`, 'latin1')))['text']).toContain('café')
})

test('nothing in a header becomes a separate line', async () => {
  const line = await read(
    'From: a@b.c\r\nSubject: =?utf-8?Q?one=0D=0ABcc:_evil@example.org=00?=\r\nMessage-ID: <a b\x07@c>\r\n\r\nx',
  )
  expect(line['subject']).toBe('one Bcc: evil@example.org')
  // An id with such characters is not valid.
  expect(line.id).toMatch(/^sha256:[0-9a-f]{64}$/)
})

test('without an id it is identified by its content', async () => {
  const [one, same, other] = await Promise.all([
    read('From: a@b.c\n\nx'),
    read('From: a@b.c\n\nx'),
    read('From: a@b.c\n\ny'),
  ])
  expect(one?.id).toBe(same?.id)
  expect(one?.id).not.toBe(other?.id)
})

test('cuts a huge email, and reports it', async () => {
  const many = `From: a@b.c\r\nTo: ${Array.from({ length: 5_000 }, (_, n) => `u${n}@x.org`).join(', ')}\r\nSubject: ${'s'.repeat(50_000)}\r\n\r\n${'t'.repeat(300_000)}`
  const line = await read(many)
  expect(line).toMatchObject({ cut: true, subject: 's'.repeat(1_000) })
  expect((line['to'] as string[]).length).toBe(100)
  expect((line['text'] as string).length).toBe(100_000)
  expect(await read('From: a@b.c\r\n\r\nhead', 99_000_000)).toMatchObject({ cut: true })
})

test('an email with endless nesting or headers is reported as damaged', async () => {
  const nested = Array.from(
    { length: 500 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
  ).join('\r\n')
  expect(await read(nested)).toMatchObject({ damaged: true, from: '' })
  expect(await read(`X: ${'y'.repeat(2_000_000)}\r\n\r\n`)).toMatchObject({ damaged: true })
})

test.each([
  ['Auto-Submitted: auto-replied', true],
  ['Auto-Submitted: no', undefined],
  ['Precedence: bulk', true],
])('%s: automatic %s', async (header, automatic) => {
  expect((await read(`From: a@b.c\r\n${header}\r\n\r\nx`))['automatic']).toBe(automatic)
})

test('any bytes give a line that can be stored', async () => {
  const pieces = fc.constantFrom(
    'From: ',
    'a@b.c',
    '\r\n',
    '\n',
    '\r\n\r\n',
    '--x',
    'Content-Type: multipart/mixed; boundary=x',
    '=?utf-8?B?',
    '?=',
    '\0',
    '"',
    '<',
    ':',
    'Content-Transfer-Encoding: base64',
    'message/rfc822',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 30 }),
      async (parts) => {
        const line = await read(parts.join(''))
        expect(line.id).toMatch(/^(<.+>|sha256:[0-9a-f]{64})$/)
        expect(JSON.parse(JSON.stringify(line))).toEqual(line)
        expect(line.from).not.toMatch(/[\r\n]/)
      },
    ),
    { numRuns: 300 },
  )
})
