import type { Usage } from '@cadre/core'
import type { BodyReader, ParsedReply } from '../http/read-reply.ts'
import { SseReader } from '../http/sse.ts'
import { CallAssembler } from './call-assembler.ts'
import type { WireCompletion, WireDelta, WireUsage } from './wire-types.ts'

/** Longer than any reply: a server that never ends a line must not exhaust the memory. */
const maxLength = 64 * 1024 * 1024

/** Builds one reply from the body of one response, streamed or whole, and streams its text. */
export class ReplyReader implements BodyReader {
  #content = ''
  readonly #onText: (delta: string) => void
  readonly #hide: (text: string) => string
  readonly #events = new SseReader((data) => this.#take(data))
  readonly #calls = new CallAssembler()
  #whole: string | undefined
  #isEmpty = true
  #isDone = false
  #refusal = ''
  #finish: unknown
  #model: string | undefined
  #usage: Usage | undefined
  #error: unknown
  #garbled: string | undefined

  /** `hide` removes secrets from quoted text: it must see them whole, before anything is cut. */
  constructor(onText: (delta: string) => void, hide: (text: string) => string = (text) => text) {
    this.#onText = onText
    this.#hide = hide
  }

  /** The usage, if the server has reported it. */
  get usage(): Usage | undefined {
    return this.#usage
  }

  /** Returns true once the server has reported the end. */
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
    if ((this.#whole?.length ?? this.#events.held) > maxLength) this.#garbled = 'the reply is too long'
    return this.#isDone || this.#garbled !== undefined
  }

  /** Call it once, when the body has ended properly. */
  finish(): ParsedReply {
    if (this.#whole === undefined) this.#events.end()
    else this.#take(this.#whole)
    if (this.#error !== undefined) return { kind: 'reported', error: this.#error }
    if (this.#garbled !== undefined) return { kind: 'garbled', reason: this.#garbled }
    const calls = this.#calls.finish()
    if (
      this.#content === '' &&
      this.#refusal === '' &&
      calls.length === 0 &&
      typeof this.#finish !== 'string'
    )
      return { kind: 'empty' }
    const isRefusal = this.#content === '' && this.#refusal !== ''
    const stop =
      isRefusal || this.#finish === 'content_filter'
        ? 'filtered'
        : this.#finish === 'length'
          ? 'length'
          : undefined
    return {
      kind: 'reply',
      content: (isRefusal ? this.#refusal : this.#content) || null,
      calls,
      ...(this.#usage && { usage: this.#usage }),
      ...(this.#model !== undefined && { model: this.#model }),
      ...(stop && { stop }),
    }
  }

  #take(data: string): void {
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      this.#isDone = true
      return
    }
    const parsed = parse(data)
    if (parsed !== undefined) {
      this.#add(parsed)
      return
    }
    // If a server omits the empty line between events, several of them look like one.
    const parts = data.includes('\n') ? data.split('\n').map(parse) : [undefined]
    if (parts.some((part) => part === undefined))
      this.#garbled ??= `the reply contains ${quote(this.#hide(data))} instead of JSON`
    else for (const part of parts) this.#add(part as WireCompletion)
  }

  #add(completion: WireCompletion): void {
    if (completion.error !== undefined && completion.error !== null) this.#error ??= completion.error
    if (this.#model === undefined && typeof completion.model === 'string' && completion.model !== '')
      this.#model = completion.model
    if (completion.usage) this.#usage = usageOf(completion.usage) ?? this.#usage
    const choice = Array.isArray(completion.choices) ? completion.choices[0] : undefined
    if (!choice) return
    if (typeof choice.finish_reason === 'string') this.#finish = choice.finish_reason
    const delta: WireDelta | null | undefined = choice.delta ?? choice.message
    if (!delta) return
    const text = contentOf(delta.content)
    if (text !== '') {
      this.#content += text
      this.#onText(text)
    }
    if (typeof delta.refusal === 'string') this.#refusal += delta.refusal
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) if (call) this.#calls.add(call)
  }
}

function parse(data: string): WireCompletion | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Text, or a list of parts, some of which are text. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
    .join('')
}

function usageOf(usage: WireUsage): Usage | undefined {
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total, cost } = usage
  const cached = usage.prompt_tokens_details?.cached_tokens
  if (typeof input !== 'number') return undefined
  const beyond = typeof total === 'number' ? total - input : 0
  const tokens = {
    input,
    output: Math.max(typeof output === 'number' ? output : 0, beyond),
    ...(typeof cached === 'number' && cached > 0 && { cacheRead: Math.min(cached, input) }),
  }
  return typeof cost === 'number' ? { ...tokens, cost } : tokens
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
