import type { JsonObject } from '@cadre/core'
import { SseReader } from './sse.ts'

/** More than any reply: a server that never ends a line must not fill the memory. */
const longest = 64 * 1024 * 1024

/** Reads a body of server-sent events that hold JSON objects, or one JSON object if the server does not stream. */
export class EventReader {
  readonly #onEvent: (event: JsonObject) => void
  readonly #onWhole: (value: JsonObject) => void
  readonly #hide: (text: string) => string
  readonly #events = new SseReader((data) => this.#take(data))
  #whole: string | undefined
  #isEmpty = true
  /** Why the body cannot be read; it ends a sentence. */
  garbled: string | undefined

  constructor(
    onEvent: (event: JsonObject) => void,
    onWhole: (value: JsonObject) => void,
    hide: (text: string) => string,
  ) {
    this.#onEvent = onEvent
    this.#onWhole = onWhole
    this.#hide = hide
  }

  get isEmpty(): boolean {
    return this.#isEmpty
  }

  push(chunk: string): void {
    if (this.#isEmpty) {
      const start = chunk.trimStart()
      if (start === '') return
      this.#isEmpty = false
      // Events never begin with a brace: this server does not stream, whatever it was asked for.
      if (start.startsWith('{')) this.#whole = ''
    }
    if (this.#whole === undefined) this.#events.push(chunk)
    else this.#whole += chunk
    if ((this.#whole?.length ?? this.#events.held) > longest) this.garbled ??= 'it is too long'
  }

  end(): void {
    if (this.#whole === undefined) {
      this.#events.end()
      return
    }
    const value = this.#parse(this.#whole)
    if (value !== undefined) this.#onWhole(value)
  }

  #take(data: string): void {
    if (data.trim() === '[DONE]') return
    const event = this.#parse(data)
    if (event !== undefined) this.#onEvent(event)
  }

  #parse(text: string): JsonObject | undefined {
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
    } catch {
      // Said below.
    }
    const shown = this.#hide(text)
    this.garbled ??= `it contains ${JSON.stringify(shown.length > 80 ? `${shown.slice(0, 80)}…` : shown)} instead of JSON`
    return undefined
  }
}
