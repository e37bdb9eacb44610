import type { JsonObject } from '@cadre/core'
import type { ParsedReply } from './read-reply.ts'
import { SseReader } from './sse.ts'

/** Longer than any reply: a server that never ends a line must not exhaust the memory. */
const maxLength = 64 * 1024 * 1024

/** Reads server-sent events with JSON objects, or one JSON object if the server does not stream. */
export class EventReader {
  readonly #onEvent: (event: JsonObject) => void
  readonly #onWhole: (value: JsonObject) => void
  readonly #hide: (text: string) => string
  readonly #parse: (text: string) => readonly JsonObject[] | undefined
  readonly #events = new SseReader((data) => this.#take(data))
  #whole: string | undefined
  #isEmpty = true
  #error: unknown
  #garbled: string | undefined
  #isDone = false

  /** `hide` removes secrets from quoted text: it must see them whole, before anything is cut. */
  constructor(
    onEvent: (event: JsonObject) => void,
    onWhole: (value: JsonObject) => void,
    hide: (text: string) => string,
    parse: (text: string) => readonly JsonObject[] | undefined = parseObject,
  ) {
    this.#onEvent = onEvent
    this.#onWhole = onWhole
    this.#hide = hide
    this.#parse = parse
  }

  /** The server has sent `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** The server reported this error inside a response that started successfully. */
  report(error: unknown): void {
    this.#error ??= error
  }

  /** True if nothing that follows can be read. */
  push(chunk: string): boolean {
    if (this.#isEmpty) {
      const start = chunk.trimStart()
      if (start === '') return false
      this.#isEmpty = false
      // Events never start with a brace: this server does not stream, although it was requested.
      if (start.startsWith('{')) this.#whole = ''
    }
    if (this.#whole === undefined) this.#events.push(chunk)
    else this.#whole += chunk
    if ((this.#whole?.length ?? this.#events.held) > maxLength) this.#garbled ??= 'the reply is too long'
    return this.#garbled !== undefined
  }

  /** Reads the rest of the body, and then its reply. `reply` returns undefined if the body has no end of a reply. */
  finish(reply: () => ParsedReply | undefined): ParsedReply {
    this.#end()
    if (this.#error !== undefined) return { kind: 'reported', error: this.#error }
    if (this.#garbled !== undefined) return { kind: 'garbled', reason: this.#garbled }
    if (this.#isEmpty) return { kind: 'empty' }
    return reply() ?? { kind: 'garbled', reason: 'the stream ended before the reply was complete' }
  }

  #end(): void {
    if (this.#whole === undefined) {
      this.#events.end()
      return
    }
    for (const value of this.#read(this.#whole)) this.#onWhole(value)
  }

  #take(data: string): void {
    if (data.trim() === '[DONE]') this.#isDone = true
    else for (const event of this.#read(data)) this.#onEvent(event)
  }

  #read(text: string): readonly JsonObject[] {
    const values = this.#parse(text)
    if (values !== undefined) return values
    const shown = this.#hide(text)
    this.#garbled ??= `the reply contains ${JSON.stringify(shown.length > 80 ? `${shown.slice(0, 80)}…` : shown)} instead of JSON`
    return []
  }
}

function parseObject(text: string): readonly JsonObject[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? [value as JsonObject]
      : undefined
  } catch {
    return undefined
  }
}
