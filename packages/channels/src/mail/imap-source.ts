/**
 * Owns the connection to an IMAP server. `createMailChannel` alone calls it.
 *
 * 1. A mail is marked as seen after it is on disk, and the cursor passes it after that: a crash makes it come again, and the inbox knows it.
 * 2. Without a cursor for this mailbox, as it is now, the unseen mails are taken; with one, all that came after it.
 * 3. One connection at a time, and on it one look at a time. After each one that ends another is opened, with longer pauses while that fails.
 * 4. After `stop` nothing is opened and nothing is being taken in.
 */
import { CadreError, messageOf } from '@cadre/core'
import { maskSecrets } from '@cadre/gate'
import type { ImapFlow } from 'imapflow'
import { pause } from '../abortable-pause.ts'
import type { CursorFile } from '../cursor-file.ts'
import { backoff } from '../reconnect-backoff.ts'
import type { TakeMail } from './mail-intake.ts'
import type { MailServer } from './mail-settings.ts'
import type { MailSource } from './mail-source.ts'
import { mostBytes } from './read-mail.ts'

export interface ImapOptions {
  readonly server: MailServer
  readonly mailbox: string
  readonly cursor: CursorFile
  readonly take: TakeMail
  readonly tell: (problem: string | undefined) => void
  readonly pauseMs?: number | undefined
  /** How often is looked although the server has said nothing. */
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
    // A client that is closed while it connects says nothing more about it.
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
          message = 'cannot store a mail.'
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

  /** False when a mail could not be written down: it is left to the next try. */
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
    // `n:*` is never empty on a server: it names the last mail when there is none after n.
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
    const wanted = { uid: true, size: true, internalDate: true, source: { start: 0, maxLength: mostBytes } }
    const mail = await client.fetchOne(String(uid), wanted, { uid: true })
    // Somebody has deleted it.
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

  /** From now on: mail came, or it is time to look, or there is nothing to wait for any more. */
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
    // Never in the clear over a network, whatever the server offers.
    ...(!secure && { doSTARTTLS: !isLocal }),
    auth: { user, pass: password },
    logger: false,
    connectionTimeout: 30_000,
    // Servers end an IDLE that lasts for half an hour.
    maxIdleTime: 4 * 60_000,
    autoIdleDelay: 200,
    maxLiteralSize: mostBytes * 2,
    maxResponseSize: mostBytes * 3,
  })
}

function wrongAccount(message: string): CadreError {
  return new CadreError(
    'configuration',
    `the server rejects this user and password (${message}). Correct user, or the variable named by password_env.`,
    { where: 'config.yaml: channels.mail.in.imap' },
  )
}
