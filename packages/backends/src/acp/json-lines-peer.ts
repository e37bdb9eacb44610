/**
 * JSON-RPC over lines of JSON, with a program that may be broken or hostile. Owns both streams.
 *
 * 1. A request always ends: with an answer, a refusal, or `gone` when the connection is closed.
 * 2. Every request of the program is answered exactly once, as long as the connection is open.
 * 3. Memory is bounded: one line, and the number of open requests. A program that exceeds a limit is cut off.
 */

import type { Readable, Writable } from 'node:stream'
import { messageOf } from '@cadre/core'
import { objectOf } from '../json-values.ts'

export type PeerAnswer =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  | { readonly kind: 'gone' }

export interface PeerOptions {
  readonly input: Writable
  readonly output: Readable
  /** Answers a request of the program. A rejection is sent as an error. */
  readonly requested: (method: string, params: unknown) => Promise<unknown>
  readonly notified: (method: string, params: unknown) => void
  /** The program exceeded a limit. The connection is closed; `reason` completes "it was cut off because …". */
  readonly violated: (reason: string) => void
}

/** An error with a code of the protocol. */
export class PeerError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export const methodNotFound = -32601

/** The longest line. Images of several megabytes fit. */
const maxLineLength = 32 << 20
const maxOpenRequests = 200

export class JsonLinesPeer {
  readonly #options: PeerOptions
  readonly #waiting = new Map<number, (answer: PeerAnswer) => void>()
  #partial: Buffer[] = []
  #size = 0
  #lastId = 0
  #open = 0
  #isClosed = false

  constructor(options: PeerOptions) {
    this.#options = options
    options.output.on('data', (data: Buffer) => this.#read(data))
    // The end of the process reports what happened. A broken pipe must not end Cadre.
    for (const stream of [options.input, options.output]) stream.on('error', () => {})
  }

  request(method: string, params: object): Promise<PeerAnswer> {
    if (this.#isClosed) return Promise.resolve({ kind: 'gone' })
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#send({ id, method, params })
    })
  }

  notify(method: string, params: object): void {
    if (!this.#isClosed) this.#send({ method, params })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#partial = []
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const settle of waiting) settle({ kind: 'gone' })
  }

  #send(message: object): void {
    if (this.#options.input.writable)
      this.#options.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  #read(data: Buffer): void {
    let rest = data
    for (let end = rest.indexOf(10); end >= 0 && !this.#isClosed; end = rest.indexOf(10)) {
      this.#partial.push(rest.subarray(0, end))
      const isShort = this.#size + end <= maxLineLength
      const line = isShort ? Buffer.concat(this.#partial).toString() : ''
      this.#partial = []
      this.#size = 0
      rest = rest.subarray(end + 1)
      if (isShort) this.#take(line)
      else this.#violate()
    }
    if (this.#isClosed) return
    this.#size += rest.length
    this.#partial.push(rest)
    if (this.#size > maxLineLength) this.#violate()
  }

  #violate(reason = `the program sent a message of more than ${maxLineLength >> 20} MiB`): void {
    this.close()
    this.#options.violated(reason)
  }

  #take(line: string): void {
    let parsed: unknown
    try {
      parsed = JSON.parse(line)
    } catch {
      // Some programs print a banner or a warning to their standard output.
      return
    }
    const { id, method, params, result, error } = objectOf(parsed)
    if (typeof method === 'string') {
      if (typeof id === 'number' || typeof id === 'string') void this.#answer(id, method, params)
      else this.#options.notified(method, params)
    } else if (typeof id === 'number') {
      const settle = this.#waiting.get(id)
      // An unknown id, or a second answer.
      if (settle === undefined) return
      this.#waiting.delete(id)
      if (error === undefined || error === null) settle({ kind: 'answer', value: result })
      else {
        const { code, message, data } = objectOf(error)
        settle({
          kind: 'refused',
          code: typeof code === 'number' ? code : 0,
          message: withDetails(String(message), data),
        })
      }
    }
  }

  async #answer(id: number | string, method: string, params: unknown): Promise<void> {
    if (++this.#open > maxOpenRequests)
      return this.#violate(`the program sent more than ${maxOpenRequests} requests at once`)
    try {
      const result = await this.#options.requested(method, params)
      if (!this.#isClosed) this.#send({ id, result })
    } catch (error) {
      const code = error instanceof PeerError ? error.code : -32603
      if (!this.#isClosed) this.#send({ id, error: { code, message: messageOf(error) } })
    } finally {
      this.#open--
    }
  }
}

/** Programs put the reason of an internal error into its data. */
function withDetails(message: string, data: unknown): string {
  const { details, message: inner } = objectOf(data)
  const more = [details, inner].find((text) => typeof text === 'string' && text !== '')
  return (more === undefined ? message : `${message}: ${String(more)}`).slice(0, 1_000)
}
