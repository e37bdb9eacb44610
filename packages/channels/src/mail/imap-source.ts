/**
 * Owns the connection to an IMAP server. Called only by `createMailChannel`.
 *
 * 1. An email is marked as seen after it is on disk, and then the cursor advances: after a crash it is received again, and
 *    the inbox recognises it.
 * 2. Without a cursor for the current mailbox, unseen emails are fetched; with one, all emails after it.
 * 3. There is one connection at a time, with one fetch at a time. When it ends, another one is opened, with increasing
 *    pauses after failures.
 * 4. After `stop`, nothing is opened or received.
 */
import { CadreError, messageOf } from '@cadre/core'
import { maskSecrets, pause } from '@cadre/disk'
import type { ImapFlow } from 'imapflow'
import type { CursorFile } from '../cursor-file.ts'
import { backoff } from '../reconnect-backoff.ts'
import type { HandleMail } from './mail-intake.ts'
import type { MailServer } from './mail-settings.ts'
import type { MailSource } from './mail-source.ts'
import { maxBytes } from './read-mail.ts'

export interface ImapOptions {
  readonly server: MailServer
  readonly mailbox: string
  readonly cursor: CursorFile
  readonly take: HandleMail
  readonly tell: (problem: string | undefined) => void
  readonly pauseMs?: number | undefined
  /** The poll interval if the server reports nothing. */
  readonly pollMs?: number | undefined
}

export function openImap(options: ImapOptions): MailSource {
  const { server, mailbox, cursor, take, tell, pauseMs = 1_000, pollMs = 60_000 } = options
  const account = `${server.user ?? ''}@${server.host}:${server.port}/${mailbox}`
  const stopped = new AbortController()
  let running: Promise<void> | undefined

  return {
    start() {
      return new Promise((resolve, reject) => {
        running = run(resolve, reject)
      })
    },
    async stop() {
      stopped.abort()
      await running
    },
  }

  async function run(tried: () => void, reject: (error: CadreError) => void): Promise<void> {
    let isFirst = true
    for (let failures = 0; !stopped.signal.aborted; ) {
      const end = await connect(tried)
      if (isFirst && end.kind === 'refused') return reject(wrongAccount(end.message))
      isFirst = false
      tried()
      if (!stopped.signal.aborted) tell(`Lost the connection to ${server.host}: ${end.message}`)
      failures = end.kind === 'useful' ? 0 : failures + 1
      await pause(backoff(failures, pauseMs), stopped.signal)
    }
  }

  async function connect(
    ready: () => void,
  ): Promise<{ readonly kind: 'useful' | 'useless' | 'refused'; readonly message: string }> {
    let kind: 'useful' | 'useless' = 'useless'
    let message = 'the server closed it.'
    const client = await newClient(server)
    const closed = new AbortController()
    // A client that is closed while connecting reports nothing.
    const gone = new Promise<never>((_, reject) => {
      closed.signal.addEventListener('abort', () => reject(new Error(message)))
    })
    gone.catch(() => {})
    client.on('close', () => closed.abort())
    client.on('error', (error: unknown) => {
      message = explain(error)
    })
    const leave = () => {
      client.close()
      closed.abort()
    }
    stopped.signal.addEventListener('abort', leave)
    try {
      await Promise.race([client.connect().then(() => client.mailboxOpen(mailbox)), gone])
      while (!closed.signal.aborted && !stopped.signal.aborted) {
        const news = somethingNew(client, closed.signal)
        if (!(await takeNew(client))) {
          message = 'cannot store an email.'
          break
        }
        kind = 'useful'
        tell(undefined)
        ready()
        await news.happens
      }
    } catch (error) {
      const { authenticationFailed } = error as { authenticationFailed?: boolean }
      if (authenticationFailed === true) return { kind: 'refused', message: explain(error) }
      message = explain(error)
    } finally {
      stopped.signal.removeEventListener('abort', leave)
      client.close()
    }
    return { kind, message }
  }

  /** Resolves with false if an email could not be stored: it is retried later. */
  async function takeNew(client: ImapFlow): Promise<boolean> {
    if (client.mailbox === false) return false
    const { uidValidity, uidNext } = client.mailbox
    const known = cursor.read()
    const last =
      known['account'] === account &&
      known['uidvalidity'] === String(uidValidity) &&
      typeof known['uid'] === 'number'
        ? known['uid']
        : undefined
    const save = (uid: number) => cursor.write({ account, uidvalidity: String(uidValidity), uid })
    const query = last === undefined ? { seen: false } : { uid: `${last + 1}:*` }
    const found = (await client.search(query, { uid: true })) || []
    // `n:*` is never empty: it includes the last mail even if there is none after n.
    const uids = found.filter((uid) => last === undefined || uid > last).sort((a, b) => a - b)
    for (const uid of uids) {
      if (stopped.signal.aborted) return false
      if (!(await takeOne(client, uid))) return false
      if (last !== undefined) save(uid)
    }
    if (last === undefined) save(Math.max(uidNext - 1, ...uids))
    return true
  }

  async function takeOne(client: ImapFlow, uid: number): Promise<boolean> {
    const wanted = { uid: true, size: true, internalDate: true, source: { start: 0, maxLength: maxBytes } }
    const mail = await client.fetchOne(String(uid), wanted, { uid: true })
    // It was deleted.
    if (mail === false || mail.source === undefined) return true
    const at = new Date(mail.internalDate ?? Date.now()).getTime()
    const { source } = mail
    if (
      !(await take({
        bytes: source,
        size: mail.size ?? source.byteLength,
        at: Number.isNaN(at) ? Date.now() : at,
      }))
    )
      return false
    await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
    return true
  }

  /** Resolves when mail arrives, when it is time to poll, or when the connection ends. */
  function somethingNew(client: ImapFlow, closed: AbortSignal): { readonly happens: Promise<void> } {
    const news = new AbortController()
    const wake = () => news.abort()
    client.once('exists', wake)
    const signal = AbortSignal.any([news.signal, closed, stopped.signal])
    return { happens: pause(pollMs, signal).finally(() => client.off('exists', wake)) }
  }

  function explain(error: unknown): string {
    const { responseText } = error as { responseText?: unknown }
    const text = typeof responseText === 'string' ? responseText : messageOf(error)
    return maskSecrets(text, server.password === undefined ? [] : [server.password]).slice(0, 300)
  }
}

async function newClient(server: MailServer): Promise<ImapFlow> {
  const { ImapFlow: Client } = await import('imapflow')
  const { host, port, secure, isLocal, user = '', password = '' } = server
  return new Client({
    host,
    port,
    secure,
    // Never unencrypted over a network, whatever the server offers.
    ...(!secure && { doSTARTTLS: !isLocal }),
    auth: { user, pass: password },
    logger: false,
    connectionTimeout: 30_000,
    // Servers end an IDLE after half an hour.
    maxIdleTime: 4 * 60_000,
    autoIdleDelay: 200,
    maxLiteralSize: maxBytes * 2,
    maxResponseSize: maxBytes * 3,
  })
}

function wrongAccount(message: string): CadreError {
  return new CadreError(
    'configuration',
    `the server rejects this user and password (${message}). Correct "user", or the variable named by password_env.`,
    { where: 'config.yaml: channels.mail.in.imap' },
  )
}
