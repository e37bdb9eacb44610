import type { JsonObject, Reply, Usage, WireCall } from '@cadre/core'
import { TypedEventReader } from '../http/typed-event-reader.ts'
import { objectOf, textOf } from '../json-values.ts'

interface Block {
  readonly start: JsonObject
  text: string
  signature: string
  input: string
}

/** Builds a reply from the events of Anthropic's Messages API, or from one whole message. */
export class MessagesReader extends TypedEventReader {
  readonly #blocks = new Map<number, Block>()
  #model: string | undefined
  #stop: unknown
  #isDone = false
  #usage: Record<string, unknown> | undefined

  get usage(): Usage | undefined {
    return this.#usage && usageOf(this.#usage)
  }

  protected get isDone(): boolean {
    return this.#isDone
  }

  protected reply(): Reply | undefined {
    const stopReason = this.#stop
    if (typeof stopReason !== 'string') return undefined
    let content = ''
    const calls: WireCall[] = []
    const items: { at: number; item: JsonObject }[] = []
    for (const [, block] of [...this.#blocks].sort(([a], [b]) => a - b)) {
      const { type } = block.start
      if (type === 'text') content += block.text
      else if (type === 'tool_use') calls.push(callOf(block))
      else if (type === 'thinking' || type === 'redacted_thinking')
        items.push({ at: (content === '' ? 0 : 1) + calls.length, item: thinkingOf(block) })
    }
    const stop =
      stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded'
        ? 'length'
        : stopReason === 'refusal'
          ? 'filtered'
          : undefined
    return this.replyFrom({ content, calls, items, model: this.#model, stop })
  }

  protected take(event: JsonObject): void {
    switch (event['type']) {
      case 'message_start':
        this.#start(objectOf(event['message']))
        return
      case 'content_block_start':
        this.#open(Number(event['index']), objectOf(event['content_block']))
        return
      case 'content_block_delta':
        this.#add(Number(event['index']), objectOf(event['delta']))
        return
      case 'message_delta':
        this.#stop = objectOf(event['delta'])['stop_reason'] ?? this.#stop
        this.#count(event['usage'])
        return
      case 'message_stop':
        this.#isDone = true
        return
      case 'error':
        this.events.report(event['error'] ?? event)
        return
    }
  }

  protected takeWhole(message: JsonObject): void {
    if (message['type'] === 'error' || message['error'] !== undefined) {
      this.events.report(message['error'] ?? message)
      return
    }
    this.#start(message)
    const { content } = message
    for (const [index, value] of (Array.isArray(content) ? content : []).entries()) {
      const block = objectOf(value)
      this.#open(index, block)
      if (typeof block['text'] === 'string') this.onText(block['text'])
    }
    this.#stop = message['stop_reason']
  }

  #start(message: JsonObject): void {
    if (typeof message['model'] === 'string' && message['model'] !== '') this.#model = message['model']
    this.#count(message['usage'])
  }

  #open(index: number, start: JsonObject): void {
    const { text, input, thinking, signature } = start
    const whole = objectOf(input)
    this.#blocks.set(index, {
      start,
      text: textOf(text) + textOf(thinking),
      signature: textOf(signature),
      input: Object.keys(whole).length > 0 ? JSON.stringify(whole) : '',
    })
  }

  #add(index: number, delta: JsonObject): void {
    const block = this.#blocks.get(index)
    if (block === undefined) return
    switch (delta['type']) {
      case 'text_delta':
        block.text += textOf(delta['text'])
        this.onText(textOf(delta['text']))
        return
      case 'input_json_delta':
        block.input += textOf(delta['partial_json'])
        return
      case 'thinking_delta':
        block.text += textOf(delta['thinking'])
        return
      case 'signature_delta':
        block.signature += textOf(delta['signature'])
        return
    }
  }

  /** Counts are cumulative: a later event repeats or raises the counts of an earlier one. */
  #count(usage: unknown): void {
    const told = Object.entries(objectOf(usage)).filter(([, value]) => typeof value === 'number')
    if (told.length > 0) this.#usage = { ...this.#usage, ...Object.fromEntries(told) }
  }
}

function callOf({ start, input }: Block): WireCall {
  const name = textOf(start['name'])
  return { id: textOf(start['id']), type: 'function', function: { name, arguments: input || '{}' } }
}

/** In the form in which it must be sent back. */
function thinkingOf({ start, text, signature }: Block): JsonObject {
  if (start['type'] === 'redacted_thinking') return { type: 'redacted_thinking', data: start['data'] ?? '' }
  return { type: 'thinking', thinking: text, signature }
}

/** This API reports cached tokens separately. */
function usageOf(usage: Record<string, unknown>): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = usage
  if (typeof input !== 'number') return undefined
  const cacheRead = Number(usage['cache_read_input_tokens'] ?? 0)
  const cacheWrite = Number(usage['cache_creation_input_tokens'] ?? 0)
  return {
    input: input + cacheRead + cacheWrite,
    output: Number(output ?? 0),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
  }
}
