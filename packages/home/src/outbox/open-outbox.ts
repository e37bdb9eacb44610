/**
 * Owns `outbox/`, with outgoing messages and their results. Several processes may use it at once.
 *
 * 1. `sending` is on disk before anything is delivered. A message without a result after a crash is in doubt, and is never resent
 *    automatically: the sender asks the other side and calls `settle` or `release`.
 * 2. In this process, one delivery per key runs at a time, and all callers get its result.
 * 3. A sent message has one line with `direction: out` in the inbox. After a crash between the two, the line is added at the next use.
 * 4. If the disk is full after a delivery, this process remembers the result and records it as soon as possible. The message is in doubt
 *    only if the process dies first.
 */
import { CadreError, type JsonObject, messageOf } from '@cadre/core'
import { listFolder, systemErrorCode } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { appendInbox } from '../inbox/append-inbox.ts'
import { lineFileBaseName, lineFileName } from '../lines/line-file-name.ts'
import type { OutboxEntry } from './outbox-entry.ts'
import { OutboxFile } from './outbox-file.ts'

export interface OutboxRequest {
  /** The file in `outbox/`. */
  readonly channel: string
  /** The same for every attempt. */
  readonly key: string
  /** The file in `inbox/` that lists it together with incoming messages. */
  readonly inbox: string
  readonly message: JsonObject
}

export interface Outbox {
  /**
   * Sends once per key, and returns the entry with its receipt. If the message was already sent, returns the earlier receipt. If `deliver`
   * rejects, the entry has failed and can be sent again. Rejects with `in_doubt` if `deliver` does, or if the result of an earlier delivery
   * is unknown; nothing is sent then.
   */
  send(request: OutboxRequest, deliver: (key: string) => Promise<JsonObject>): Promise<OutboxEntry>
  find(channel: string, key: string): OutboxEntry | undefined
  /** Records that a message in doubt was sent. */
  settle(channel: string, key: string, receipt: JsonObject): Promise<void>
  /** Records that a message in doubt was not sent, so it may be sent again. */
  release(channel: string, key: string, reason: string): Promise<void>
  /** Adds inbox lines that are missing after a crash. */
  repair(): Promise<void>
}

export interface OutboxOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const retryMs = 1000

export function openOutbox(home: Home, { now = Date.now }: OutboxOptions = {}): Outbox {
  const files = new Map<string, OutboxFile>()
  const repaired = new Map<string, Promise<void>>()
  const running = new Map<string, Promise<OutboxEntry>>()
  /** Results that could not be recorded yet. */
  const unwritten = new Map<string, OutboxEntry>()
  let isRetrying = false
  const at = () => new Date(now()).toISOString()

  const fileOf = (channel: string): OutboxFile => {
    const name = lineFileName(channel)
    const file = files.get(name) ?? new OutboxFile(home, name)
    files.set(name, file)
    return file
  }

  return {
    find: (channel, key) => unwritten.get(nameOf(channel, key)) ?? fileOf(channel).find(key),
    send(request, deliver) {
      const name = nameOf(request.channel, request.key)
      const known = running.get(name)
      if (known !== undefined) return known
      const sending = send(request, deliver).finally(() => running.delete(name))
      running.set(name, sending)
      return sending
    },
    async settle(channel, key, receipt) {
      const file = fileOf(channel)
      const entry = await file.add(key, (last) =>
        last === undefined || last.state === 'sent'
          ? undefined
          : { at: at(), state: 'sent', inbox: last.inbox, message: last.message, receipt },
      )
      if (entry === undefined) throw unknownKey(channel, key)
      await tell(file, entry)
    },
    async release(channel, key, reason) {
      const entry = await fileOf(channel).add(key, (last) =>
        last?.state === 'sending'
          ? { at: at(), state: 'failed', inbox: last.inbox, message: last.message, error: reason }
          : undefined,
      )
      if (entry === undefined) throw unknownKey(channel, key)
    },
    async repair() {
      const names = listFolder(home.at('outbox')).flatMap((name) => lineFileBaseName(name) ?? [])
      for (const channel of names) await repair(channel)
      await writeDown()
    },
  }

  async function send(
    { channel, key, inbox, message }: OutboxRequest,
    deliver: (key: string) => Promise<JsonObject>,
  ): Promise<OutboxEntry> {
    const file = fileOf(channel)
    const told = { inbox: lineFileName(inbox), message }
    const late = unwritten.get(nameOf(channel, key))
    if (late?.state === 'sent') return late
    await repair(channel)
    await writeDown()
    let before: OutboxEntry | undefined
    await file.add(key, (last) => {
      before = last
      return last === undefined || last.state === 'failed'
        ? { at: at(), state: 'sending', ...told }
        : undefined
    })
    if (before?.state === 'sent') {
      await tell(file, before)
      return before
    }
    if (before?.state === 'sending') throw inDoubt(channel, key)
    let receipt: JsonObject
    try {
      receipt = await deliver(key)
    } catch (error) {
      if (!(error instanceof CadreError && error.code === 'in_doubt'))
        await end({ channel, key, at: at(), state: 'failed', ...told, error: messageOf(error) })
      throw error
    }
    const entry = { channel, key, at: at(), state: 'sent', ...told, receipt } as const
    await end(entry)
    return entry
  }

  /** Records the result, now or as soon as possible. */
  async function end(entry: OutboxEntry): Promise<void> {
    try {
      await record(entry)
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
      unwritten.set(nameOf(entry.channel, entry.key), entry)
      recordLater()
    }
  }

  async function record({ channel, key, ...ended }: OutboxEntry): Promise<void> {
    const file = fileOf(channel)
    await file.add(key, (last) => (last?.state === ended.state ? undefined : ended))
    if (ended.state === 'sent') await tell(file, { channel, key, ...ended })
  }

  async function writeDown(): Promise<void> {
    for (const [name, entry] of [...unwritten]) {
      await record(entry)
      unwritten.delete(name)
    }
  }

  function recordLater(): void {
    if (isRetrying) return
    isRetrying = true
    setTimeout(() => {
      isRetrying = false
      writeDown().catch(recordLater)
    }, retryMs).unref()
  }

  /** Safe to repeat: the inbox has one line per id. A line that was added once is not added again after a cleanup. */
  async function tell(file: OutboxFile, entry: OutboxEntry): Promise<void> {
    const { channel, key, inbox, message, receipt = {} } = entry
    if (!file.unlistedKeys().has(key)) return
    const id = `out/${channel}/${key}`
    await appendInbox(home, inbox, { ...message, id, at: entry.at, direction: 'out', via: channel, receipt })
    await file.markListed(key, at())
  }

  /** Once per channel and process. */
  function repair(channel: string): Promise<void> {
    const name = lineFileName(channel)
    const done = repaired.get(name) ?? repairNow(fileOf(name))
    repaired.set(name, done)
    done.catch(() => repaired.delete(name))
    return done
  }

  async function repairNow(file: OutboxFile): Promise<void> {
    for (const key of [...file.unlistedKeys()]) {
      const entry = file.find(key)
      if (entry?.state === 'sent') await tell(file, entry)
    }
  }
}

function nameOf(channel: string, key: string): string {
  return `${channel}\0${key}`
}

function inDoubt(channel: string, key: string): CadreError {
  return new CadreError(
    'in_doubt',
    `Cadre does not know whether ${key} was sent through ${channel}: sending was interrupted. Check with the recipient before you send it again.`,
  )
}

function unknownKey(channel: string, key: string): CadreError {
  return new CadreError('not_found', `nothing was sent through ${channel} under the key ${key}.`)
}
