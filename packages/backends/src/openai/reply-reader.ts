import type { JsonObject, Usage } from '@cadre/core'
import { EventReader } from '../http/event-reader.ts'
import type { BodyReader, ParsedReply } from '../http/read-reply.ts'
import { CallAssembler } from './call-assembler.ts'
import type { WireCompletion, WireDelta, WireUsage } from './wire-completion.ts'

/** Builds one reply from the body of one response, streamed or whole, and streams its text. */
export class ReplyReader implements BodyReader {
  #content = ''
  readonly #onText: (delta: string) => void
  readonly #events: EventReader
  readonly #calls = new CallAssembler()
  #refusal = ''
  #finish: unknown
  #model: string | undefined
  #usage: Usage | undefined

  constructor(onText: (delta: string) => void, hide: (text: string) => string = (text) => text) {
    this.#onText = onText
    const add = (value: JsonObject) => this.#add(value as WireCompletion)
    this.#events = new EventReader(add, add, hide, parseEach)
  }

  /** The usage, if the server has reported it. */
  get usage(): Usage | undefined {
    return this.#usage
  }

  /** Returns true once the server has reported the end. */
  push(chunk: string): boolean {
    return this.#events.push(chunk) || this.#events.isDone
  }

  /** Call it once, when the body has ended properly. */
  finish(): ParsedReply {
    return this.#events.finish(() => this.#reply())
  }

  #reply(): ParsedReply {
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

  #add(completion: WireCompletion): void {
    if (completion.error !== undefined && completion.error !== null) this.#events.report(completion.error)
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

/** If a server omits the empty line between events, several of them look like one. */
function parseEach(data: string): readonly JsonObject[] | undefined {
  const whole = parse(data)
  if (whole !== undefined) return [whole]
  const parts = data.split('\n').map(parse)
  return parts.every((part) => part !== undefined) ? parts : undefined
}

function parse(data: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined
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
