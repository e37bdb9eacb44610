import { closeSync, openSync, readSync } from 'node:fs'
import { isObject, type JsonObject } from '@cadre/core'
import type { Home } from '../home/home.ts'
import { withLock } from '../leases/with-lock.ts'
import { appendLines } from '../lines/append-lines.ts'
import { FollowedFile } from '../lines/followed-file.ts'
import { lineFileName } from '../lines/line-file-name.ts'
import type { OutboxEntry, OutboxState } from './outbox-entry.ts'

/** The position of a key's last line in the file. */
interface Place {
  readonly state: OutboxState
  readonly start: number
  readonly end: number
}

/** `outbox/<channel>.jsonl`. The last line of each key applies. */
export class OutboxFile {
  private readonly home: Home
  private readonly channel: string
  private readonly place: string
  private readonly last = new Map<string, Place>()
  /** Sent messages that may not be in the inbox yet. */
  private readonly untold = new Set<string>()
  private readonly file: FollowedFile

  constructor(home: Home, channel: string) {
    this.home = home
    this.channel = lineFileName(channel)
    this.place = home.at('outbox', `${this.channel}.jsonl`)
    this.file = new FollowedFile(this.place, {
      take: (line, { start, end }) => this.take(line, start, end),
      forget: () => {
        this.last.clear()
        this.untold.clear()
      },
    })
  }

  find(key: string): OutboxEntry | undefined {
    this.file.look()
    const place = this.last.get(key)
    return place && this.read(key, place)
  }

  /** Keys of sent messages without a known inbox line. */
  unlistedKeys(): ReadonlySet<string> {
    this.file.look()
    return this.untold
  }

  /** Adds the entry that `decide` returns for the current one, durably. Adds nothing if it returns `undefined`. */
  async add(
    key: string,
    decide: (now: OutboxEntry | undefined) => Omit<OutboxEntry, 'channel' | 'key'> | undefined,
  ): Promise<OutboxEntry | undefined> {
    this.home.folder('outbox')
    return withLock(this.home, `outbox-${this.channel}`, () => {
      const now = this.find(key)
      const wanted = decide(now)
      if (wanted === undefined) return now
      appendLines(this.place, [JSON.stringify({ key, ...wanted })])
      return { channel: this.channel, key, ...wanted }
    })
  }

  /** Not durable: if it is lost, the inbox is checked again at the next start. */
  async markListed(key: string, at: string): Promise<void> {
    await withLock(this.home, `outbox-${this.channel}`, () =>
      appendLines(this.place, [JSON.stringify({ key, at, state: 'told' })], { durable: false }),
    )
  }

  private take(line: { readonly [key: string]: unknown }, start: number, end: number): void {
    const { key, state } = line
    if (typeof key !== 'string') return
    if (state === 'told') this.untold.delete(key)
    if (state !== 'sending' && state !== 'sent' && state !== 'failed') return
    this.last.set(key, { state, start, end })
    if (state === 'sent') this.untold.add(key)
  }

  private read(key: string, { state, start, end }: Place): OutboxEntry | undefined {
    const bytes = Buffer.alloc(end - start)
    const file = openSync(this.place, 'r')
    try {
      readSync(file, bytes, 0, bytes.length, start)
    } finally {
      closeSync(file)
    }
    const { at, inbox, message, receipt, error } = JSON.parse(bytes.toString('utf8')) as JsonObject
    return {
      channel: this.channel,
      key,
      at: String(at),
      state,
      inbox: String(inbox),
      message: isObject(message) ? message : {},
      ...(isObject(receipt) && { receipt }),
      ...(typeof error === 'string' && { error }),
    }
  }
}
