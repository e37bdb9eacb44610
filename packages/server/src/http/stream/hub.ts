/**
 * The event stream. Owns the recent events, and the events that each reader has not received yet.
 *
 * 1. An id is `<life>.<seq>`. A reader that returns with an id of this life, within the kept events, gets exactly the events that it missed.
 * 2. Any other reader gets `reset` first, and then all new events. No event is ever missing without a `reset`.
 * 3. Text is transient: it has no id, is not kept, and is omitted for readers that are behind.
 * 4. A reader that is too far behind is disconnected, and can return with its id. Memory is bounded, and no reader slows down another.
 * 5. A browser shares six connections between all tabs. If a login has too many streams, the oldest is paused.
 *    If there are too many in total, the oldest of the person who has the most is paused.
 * 6. If nobody has requested a position for some minutes, no events are kept, so that a server without readers uses no memory for them.
 */
import { randomBytes } from 'node:crypto'
import type { StreamEvent } from '@cadre/api'

/** Receives a reader's text: the response to its request. */
export interface Sink {
  write(text: string): void
  /** The number of bytes that the reader has not received yet. */
  behind(): number
  /** Ends the stream after everything has been sent. */
  end(text: string): void
  /** Ends the stream immediately. */
  destroy(): void
}

export interface ReaderOptions {
  /** The position after which the reader continues. If absent, it receives only new events. */
  readonly after?: string | undefined
  readonly login: string
  /** The login's person. Somebody with many logins must not take the streams of others. Default: each login is its own person. */
  readonly person?: string | undefined
  /** Whether it receives the rows of all sessions. */
  readonly index: boolean
  /** The entry sessions whose trees it follows. */
  readonly roots: readonly string[]
  /** Whether the login or token is still valid. Checked with every keep-alive. Default: always valid. */
  readonly isValid?: () => boolean
}

export interface Hub {
  /** The current position. */
  at(): string
  /** The number of the last event. */
  seq(): number
  /** Sends an event to all readers that want it. Returns the event's number, which `make` also receives. */
  publish(make: (seq: number) => StreamEvent): number
  /** Sends an event that may be lost. */
  send(event: StreamEvent): void
  /** Whether events are kept, because there is a reader, or because someone has requested a position and may connect. */
  isAwake(): boolean
  /** Whether a reader follows this tree, or has followed it and may reconnect. */
  isFollowed(root: string): boolean
  /** Whether a reader follows this tree now. */
  isWatched(root: string): boolean
  /** Adds a reader. The returned function removes it, without ending its sink. */
  open(sink: Sink, options: ReaderOptions): () => void
  /** The number of readers. */
  readers(): number
  /** Ends all streams of one login, or all streams. */
  close(login?: string): void
}

export interface HubLimits {
  /** The maximum number of events that are kept, and their maximum size in bytes. */
  readonly events: number
  readonly bytes: number
  /** The maximum size, in bytes, of the past events that a reader gets when it reconnects. If there are more, it gets a `reset`. */
  readonly replay: number
  /** If a reader is this many bytes behind, Cadre omits text for it, or disconnects it. */
  readonly behind: number
  readonly cut: number
  readonly streamsPerLogin: number
  readonly streams: number
  /** The maximum number of trees that are remembered as followed. Limited, because readers can name any number of trees. */
  readonly roots: number
  readonly beatMs: number
  /** After this time without readers and requested positions, no events are kept. */
  readonly sleepMs: number
}

const usual: HubLimits = {
  events: 20_000,
  bytes: 32 << 20,
  replay: 2 << 20,
  behind: 256 << 10,
  cut: 4 << 20,
  streamsPerLogin: 4,
  streams: 64,
  roots: 10_000,
  beatMs: 15_000,
  sleepMs: 600_000,
}

interface Kept {
  readonly event: StreamEvent
  readonly text: string
}

interface Reader extends ReaderOptions {
  readonly sink: Sink
  readonly followed: ReadonlySet<string>
}

export function createHub(limits: Partial<HubLimits> = {}): Hub {
  const most = { ...usual, ...limits }
  const life = randomBytes(4).toString('hex')
  /** A queue. The events starting at `first` are kept. */
  let kept: Kept[] = []
  let first = 0
  let bytes = 0
  let seq = 0
  /** In the order in which they connected. */
  const readers = new Set<Reader>()
  let beat: NodeJS.Timeout | undefined
  let sleep: NodeJS.Timeout | undefined
  /** Trees that readers have followed since the hub started to keep events. */
  const roots = new Set<string>()

  const wake = () => {
    clearTimeout(sleep)
    sleep = setTimeout(fallAsleep, most.sleepMs).unref()
  }
  const forget = () => {
    kept = []
    first = 0
    bytes = 0
    roots.clear()
  }
  const fallAsleep = () => {
    if (readers.size > 0) return wake()
    sleep = undefined
    forget()
  }
  /** If there are too many trees, keeps only those of the current readers. All other readers get a `reset`. */
  const follow = (wanted: readonly string[]) => {
    for (const root of wanted) roots.add(root)
    if (roots.size <= most.roots) return
    forget()
    for (const { followed } of readers) for (const root of followed) roots.add(root)
    for (const root of wanted) roots.add(root)
  }
  const remove = (reader: Reader) => {
    readers.delete(reader)
    if (readers.size > 0) return
    wake()
    clearInterval(beat)
    beat = undefined
  }
  const write = (reader: Reader, text: string) => {
    if (reader.sink.behind() <= most.cut) {
      reader.sink.write(text)
      return
    }
    // Removed here, because Node reports the end of a connection later.
    remove(reader)
    reader.sink.destroy()
  }
  const keep = (one: Kept) => {
    kept.push(one)
    bytes += one.text.length
    while (kept.length - first > most.events || (bytes > most.bytes && first < kept.length)) {
      bytes -= kept[first]?.text.length ?? 0
      first += 1
    }
    if (first < most.events / 4) return
    kept = kept.slice(first)
    first = 0
  }
  /** The events after a position, or `undefined` if some of them are no longer kept. */
  const missed = (after: string): readonly Kept[] | undefined => {
    const [, from, number] = /^([0-9a-f]+)\.(\d{1,15})$/.exec(after) ?? []
    if (from !== life) return undefined
    const count = seq - Number(number)
    if (count < 0 || count > kept.length - first) return undefined
    return count === 0 ? [] : kept.slice(-count)
  }
  const park = (reader: Reader) => {
    remove(reader)
    reader.sink.end('event: parked\ndata:\n\n')
  }
  const end = (reader: Reader) => {
    remove(reader)
    reader.sink.end('')
  }
  const makeRoom = (login: string) => {
    const own = [...readers].filter((reader) => reader.login === login)
    if (own.length >= most.streamsPerLogin && own[0] !== undefined) park(own[0])
    if (readers.size < most.streams) return
    const byPerson = new Map<string, Reader[]>()
    for (const reader of readers) {
      const person = reader.person ?? reader.login
      byPerson.set(person, [...(byPerson.get(person) ?? []), reader])
    }
    const [[oldest] = []] = [...byPerson.values()].toSorted((a, b) => b.length - a.length)
    if (oldest !== undefined) park(oldest)
  }
  const at = () => `${life}.${seq}`
  /** A keep-alive. It also tells the current position to readers that did not want any of the last events. */
  const position = () => `event: beat\nid: ${at()}\ndata:\n\n`

  return {
    at() {
      wake()
      return at()
    },
    seq: () => seq,
    publish(make) {
      seq += 1
      if (sleep === undefined) return seq
      const event = make(seq)
      const text = `id: ${life}.${seq}\ndata: ${JSON.stringify(event)}\n\n`
      keep({ event, text })
      for (const reader of readers) if (wants(reader, event)) write(reader, text)
      return seq
    },
    send(event) {
      let text: string | undefined
      for (const reader of readers) {
        if (!wants(reader, event) || reader.sink.behind() > most.behind) continue
        text ??= `data: ${JSON.stringify(event)}\n\n`
        write(reader, text)
      }
    },
    isAwake: () => sleep !== undefined,
    isFollowed: (root) => roots.has(root),
    isWatched: (root) => [...readers].some(({ followed }) => followed.has(root)),
    open(sink, options) {
      wake()
      makeRoom(options.login)
      follow(options.roots)
      const reader: Reader = { ...options, sink, followed: new Set(options.roots) }
      const past = options.after === undefined ? [] : missed(options.after)
      const wanted = past?.filter(({ event }) => wants(reader, event)).map(({ text }) => text)
      const size = wanted?.reduce((sum, { length }) => sum + length, 0) ?? 0
      if (wanted === undefined || size > most.replay) sink.write(`event: reset\nid: ${at()}\ndata:\n\n`)
      else sink.write(`${wanted.join('')}${position()}`)
      readers.add(reader)
      beat ??= setInterval(() => {
        const text = position()
        for (const each of [...readers]) {
          if (each.isValid?.() === false) end(each)
          else write(each, text)
        }
      }, most.beatMs).unref()
      return () => remove(reader)
    },
    readers: () => readers.size,
    close(login) {
      if (login === undefined) clearTimeout(sleep)
      for (const reader of [...readers]) {
        if (login !== undefined && reader.login !== login) continue
        end(reader)
      }
    },
  }
}

function wants({ index, followed }: Reader, event: StreamEvent): boolean {
  switch (event.type) {
    case 'row':
      return index || followed.has(event.row.root)
    case 'row.removed':
      return true
    case 'event':
      return followed.has(event.root)
    default:
      return true
  }
}
