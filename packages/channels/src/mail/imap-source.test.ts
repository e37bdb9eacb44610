import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { JsonObject } from '@cadre/core'
import { appendInbox } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, type TestHome, testContext, testHome, until } from '../channel.spec-helpers.ts'
import type { Channel } from '../channel.ts'
import { createMailChannel } from './create-mail-channel.ts'
import { type Dovecot, hasDovecot, imapPassword, startDovecot } from './dovecot.spec-helpers.ts'

const mail = (n: number, more = '') =>
  `From: Bob <bob@example.org>\r\nTo: cadre@example.org\r\nSubject: Mail ${n}\r\nMessage-ID: <mail-${n}@example.org>\r\n${more}\r\nText ${n}\r\n`

test('a server that does not greet does not block stopping', async () => {
  using folder = testHome()
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const imap = { host: '127.0.0.1', port, secure: false, user: 'bob', password_env: 'PW' }
  const channel = createMailChannel(testContext(folder.home, { in: { imap } }, { PW: 'x' }))
  const started = channel.start()
  await new Promise((resolve) => silent.once('connection', resolve))
  await channel.stop()
  await started
  silent.close()
})

describe.skipIf(!hasDovecot)(
  `mail by IMAP${hasDovecot ? '' : ' (skipped: dovecot is not installed)'}`,
  () => {
    let dovecot: Dovecot
    let folder: TestHome
    let running: Channel[] = []

    beforeEach(() => {
      folder = testHome()
    })
    afterEach(async () => {
      for (const channel of running) await channel.stop()
      running = []
      await dovecot[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    })

    async function start(
      more: { receive?: TestContext['receive']; settings?: JsonObject; pollMs?: number } = {},
    ) {
      const imap = { host: '127.0.0.1', port: dovecot.port, secure: false, user: 'bob', password_env: 'PW' }
      const settings = { in: { imap }, ...more.settings }
      const context = testContext(
        folder.home,
        settings,
        { PW: imapPassword },
        more.receive && { receive: more.receive },
      )
      const channel = createMailChannel(context, { pauseMs: 1, pollMs: more.pollMs ?? 600_000 })
      running.push(channel)
      await channel.start()
      return { context, channel }
    }
    const ids = () => folder.lines('inbox/email-inbox.jsonl').map(({ id }) => id)
    const seen = () =>
      readdirSync(join(dovecot.folder, 'cur')).filter((name) => /:2,[A-Z]*S/.test(name)).length
    const id = (n: number) => `<mail-${n}@example.org>`

    test('existing and new emails become lines, marked as seen, without polling', async () => {
      dovecot = await startDovecot()
      dovecot.deliver(mail(1))
      await start()
      expect(folder.lines('inbox/email-inbox.jsonl')).toMatchObject([
        {
          id: id(1),
          direction: 'in',
          from: 'bob@example.org',
          to: ['cadre@example.org'],
          subject: 'Mail 1',
          text: 'Text 1\n',
        },
      ])
      // The server announces new mail: this test does not poll.
      dovecot.deliver(mail(2))
      await until(() => ids().length === 2)
      await until(() => seen() === 2)
      expect(ids()).toEqual([id(1), id(2)])
    })

    test('polls a server that cannot notify', async () => {
      dovecot = await startDovecot('imap_capability = IMAP4rev1')
      await start({ pollMs: 50 })
      dovecot.deliver(mail(1))
      await until(() => ids().length === 1)
    })

    test('marks an email as seen only when it is on disk, and receives it again after a crash', async () => {
      dovecot = await startDovecot()
      dovecot.deliver(mail(1))
      let isFull = true
      let tries = 0
      const { context } = await start({
        async receive(file, line) {
          tries++
          if (isFull) throw new Error('the disk is full')
          return appendInbox(folder.home, file, line)
        },
      })
      await until(() => tries > 1)
      expect(seen()).toBe(0)
      expect(context.problemTexts().join()).toContain('the disk is full')
      isFull = false
      await until(() => ids().length === 1)
      await until(() => seen() === 1)
      await until(() => context.problemTexts().length === 0)
    })

    test('a restart continues after the cursor, even with emails that were read elsewhere', async () => {
      dovecot = await startDovecot()
      dovecot.deliver(mail(1))
      const first = await start()
      await first.channel.stop()
      dovecot.deliver(mail(2))
      dovecot.deliver(mail(3))
      await start()
      expect(ids()).toEqual([id(1), id(2), id(3)])
      await until(() => seen() === 3)
    })

    test('a recreated mailbox is read from its unseen emails, without duplicates', async () => {
      dovecot = await startDovecot()
      dovecot.deliver(mail(1))
      dovecot.deliver(mail(2))
      const first = await start()
      expect(ids()).toHaveLength(2)
      await first.channel.stop()
      await dovecot.remake()
      dovecot.deliver(mail(2))
      dovecot.deliver(mail(3))
      await start()
      expect(ids().sort()).toEqual([id(1), id(2), id(3)])
    })

    test('reconnects to a server that was away', async () => {
      dovecot = await startDovecot()
      const { context } = await start()
      await dovecot.stop()
      await until(() => context.problemTexts().length === 1)
      dovecot.deliver(mail(1))
      await dovecot.start()
      await until(() => ids().length === 1)
      await until(() => context.problemTexts().length === 0)
    })

    test('accepts only listed senders', async () => {
      dovecot = await startDovecot()
      dovecot.deliver(mail(1))
      dovecot.deliver(mail(2).replace('Bob <bob@example.org>', '"bob@example.org" <eve@evil.example>'))
      const { context } = await start({ settings: { allow_from: ['@example.org'] } })
      expect(ids()).toEqual([id(1)])
      expect(context.notes.filter(({ type }) => type === 'mail.refused')).toHaveLength(1)
    })

    test('a rejected password is a configuration error, and is not shown', async () => {
      dovecot = await startDovecot()
      const imap = { host: '127.0.0.1', port: dovecot.port, secure: false, user: 'bob', password_env: 'PW' }
      const context = testContext(folder.home, { in: { imap } }, { PW: 'not-the-word' })
      const error = await createMailChannel(context)
        .start()
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'configuration', message: expect.stringContaining('password_env') })
      expect(String(error)).not.toContain('not-the-word')
    })
  },
)
