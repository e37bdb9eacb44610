import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '@cadre/core'
import { appendInbox } from '@cadre/home'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, type TestHome, testContext, testHome, until } from '../channel.spec-helpers.ts'
import type { Channel } from '../channel.ts'
import { createMailChannel } from './create-mail-channel.ts'

let folder: TestHome
let maildir: string
let running: Channel[] = []

beforeEach(() => {
  folder = testHome()
  maildir = join(folder.home.path, 'Maildir')
  for (const name of ['new', 'tmp']) mkdirSync(join(maildir, name), { recursive: true })
})
afterEach(async () => {
  for (const channel of running) await channel.stop()
  running = []
  folder[Symbol.dispose]()
})

const mail = (n: number) =>
  `From: bob@example.org\nMessage-ID: <mail-${n}@example.org>\nSubject: S\n\nText ${n}\n`
const deliver = (name: string, text: string) => writeFileSync(join(maildir, 'new', name), text)
const ids = () => folder.lines('inbox/email-inbox.jsonl').map(({ id }) => id)
const names = (part: string) => readdirSync(join(maildir, part)).sort()

async function start(
  more: { receive?: TestContext['receive']; settings?: JsonObject; pollMs?: number } = {},
) {
  const settings = { in: { maildir: 'Maildir' }, ...more.settings }
  const context = testContext(folder.home, settings, {}, more.receive && { receive: more.receive })
  const channel = createMailChannel(context, { pollMs: more.pollMs ?? 600_000 })
  running.push(channel)
  await channel.start()
  return { context, channel }
}

test('receives existing and new emails, and moves them to the seen ones', async () => {
  deliver('1.a.host', mail(1))
  deliver('2.b.host:2,', mail(2))
  await start()
  expect(ids()).toEqual(['<mail-1@example.org>', '<mail-2@example.org>'])
  expect(names('cur')).toEqual(['1.a.host:2,S', '2.b.host:2,S'])
  deliver('3.c.host', mail(3))
  await until(() => ids().length === 3)
  await until(() => names('new').length === 0)
})

test('a crash before the move: it is received again, as one line', async () => {
  deliver('1.a', mail(1))
  // An earlier daemon stored it, and died.
  await appendInbox(folder.home, 'email-inbox', { id: '<mail-1@example.org>', text: 'Text 1' })
  await start()
  expect(ids()).toHaveLength(1)
  expect(names('cur')).toEqual(['1.a:2,S'])
})

test('an email that cannot be stored stays in place until it can', async () => {
  let isFull = true
  deliver('1.a', mail(1))
  const { context } = await start({
    pollMs: 20,
    async receive(file, line) {
      if (isFull) throw new Error('the disk is full')
      return appendInbox(folder.home, file, line)
    },
  })
  expect(names('new')).toEqual(['1.a'])
  expect(context.problemTexts().join()).toContain('the disk is full')
  isFull = false
  await until(() => ids().length === 1)
  await until(() => context.problemTexts().length === 0)
})

test('no mail replaces another', async () => {
  mkdirSync(join(maildir, 'cur'))
  writeFileSync(join(maildir, 'cur', '1.a:2,S'), 'an older one')
  deliver('1.a', mail(1))
  await start()
  expect(names('cur')).toEqual(['1.a:2,S', '1.a_2:2,S'])
  expect(readFileSync(join(maildir, 'cur', '1.a:2,S'), 'utf8')).toBe('an older one')
})

test('ignores and reports links, folders and hidden files', async () => {
  const secret = join(folder.home.path, 'secret')
  writeFileSync(secret, 'From: a@b.c\n\nsecret\n')
  symlinkSync(secret, join(maildir, 'new', '1.link'))
  mkdirSync(join(maildir, 'new', '2.folder'))
  deliver('.hidden', mail(9))
  deliver('3.plain', mail(1))
  const { context } = await start()
  expect(ids()).toEqual(['<mail-1@example.org>'])
  expect(context.problemTexts()).toEqual([expect.stringContaining('not a regular file')])
  expect(existsSync(secret)).toBe(true)
})

test('many at once, with another daemon of the same home: one line each', async () => {
  for (let n = 0; n < 50; n++) deliver(`${n}.x`, mail(n))
  await Promise.all([start(), start()])
  await until(() => names('new').length === 0)
  expect(ids().sort()).toEqual(Array.from({ length: 50 }, (_, n) => `<mail-${n}@example.org>`).sort())
})

test('ignores mail from unlisted senders, and moves it away', async () => {
  deliver('1.a', mail(1))
  deliver('2.b', mail(2).replace('bob@example.org', 'bob@example.org.evil.example'))
  deliver('3.c', 'no header at all')
  await start({ settings: { allow_from: ['BOB@example.org'] } })
  expect(ids()).toEqual(['<mail-1@example.org>'])
  expect(names('new')).toEqual([])
})

test.each<[string, JsonObject]>([
  ['in.maildir', { in: { maildir: 'nowhere' } }],
  ['in', { in: {} }],
  ['in', { in: { maildir: 'a', imap: { host: 'h', port: 1, user: 'u', password_env: 'P' } } }],
  ['in.imap.password_env', { in: { imap: { host: 'h', port: 993, user: 'u', password_env: 'NOT_SET' } } }],
  ['in.imap.port', { in: { imap: { host: 'h', port: 99_999, user: 'u', password_env: 'P' } } }],
  ['out.smtp.from', { out: { smtp: { host: 'h', port: 25, from: 'a@b\r\nBcc: c@d' } } }],
  ['out.smtp.pasword_env', { out: { smtp: { host: 'h', port: 25, from: 'a@b.c', pasword_env: 'P' } } }],
  ['allow_from', { allow_from: ['everybody'] }],
  ['', { in: null }],
])('names the error in %s', async (key, settings) => {
  const context = testContext(folder.home, settings, { P: 'x' })
  const error = await Promise.resolve()
    .then(() => createMailChannel(context).start())
    .catch((reason: unknown) => reason)
  const where = `config.yaml: channels.mail${key === '' ? '' : `.${key}`}`
  expect(error).toMatchObject({ code: 'configuration', where })
})
