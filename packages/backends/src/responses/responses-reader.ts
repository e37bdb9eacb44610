import type { JsonObject, Reply, Usage, WireCall } from '@cadre/core'
import { TypedEventReader } from '../http/typed-event-reader.ts'
import { listOf, objectOf, textOf } from '../json-values.ts'

/** Builds a reply from the events of OpenAI's Responses API, or from one whole response. */
export class ResponsesReader extends TypedEventReader {
  /** Complete items, by their index in the output. */
  readonly #items = new Map<number, JsonObject>()
  #response: JsonObject | undefined

  get usage(): Usage | undefined {
    return usageOf(objectOf(this.#response?.['usage']))
  }

  protected get isDone(): boolean {
    return this.#response !== undefined
  }

  protected reply(): Reply | undefined {
    const response = this.#response
    if (response === undefined) return undefined
    const output = listOf(response['output'])
    const all =
      output.length > 0 ? output : [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item)
    let text = ''
    let refusal = ''
    const calls: WireCall[] = []
    const items: { at: number; item: JsonObject }[] = []
    for (const item of all) {
      if (item['type'] === 'message')
        for (const part of listOf(item['content'])) {
          text += textOf(part['text'])
          refusal += textOf(part['refusal'])
        }
      else if (item['type'] === 'function_call') calls.push(callOf(item))
      // Without its encrypted content, the server could not read it again.
      else if (item['type'] === 'reasoning' && typeof item['encrypted_content'] === 'string')
        items.push({ at: (text === '' ? 0 : 1) + calls.length, item: withoutStatus(item) })
    }
    const why = objectOf(response['incomplete_details'])['reason']
    const isRefusal = text === '' && refusal !== ''
    const stop =
      isRefusal || why === 'content_filter'
        ? 'filtered'
        : response['status'] === 'incomplete'
          ? 'length'
          : undefined
    return this.replyFrom({
      content: isRefusal ? refusal : text,
      calls,
      items,
      model: textOf(response['model']),
      stop,
    })
  }

  protected take(event: JsonObject): void {
    switch (event['type']) {
      case 'response.output_text.delta':
        this.onText(textOf(event['delta']))
        return
      case 'response.output_item.done':
        this.#items.set(Number(event['output_index'] ?? this.#items.size), objectOf(event['item']))
        return
      case 'response.completed':
      case 'response.incomplete':
        this.#response ??= objectOf(event['response'])
        return
      case 'response.failed':
        this.#response ??= objectOf(event['response'])
        this.events.report(objectOf(event['response'])['error'] ?? 'the response failed')
        return
      case 'error':
        this.events.report(event['error'] ?? event)
        return
    }
  }

  protected takeWhole(response: JsonObject): void {
    const { error } = response
    if (error !== undefined && error !== null) {
      this.events.report(error)
      return
    }
    this.#response = response
    for (const item of listOf(response['output']))
      for (const part of listOf(item['content']))
        if (part['type'] === 'output_text') this.onText(textOf(part['text']))
  }
}

function callOf(item: JsonObject): WireCall {
  const input = textOf(item['arguments'])
  return {
    id: textOf(item['call_id']) || textOf(item['id']),
    type: 'function',
    function: { name: textOf(item['name']), arguments: input === '' ? '{}' : input },
  }
}

/** An input item has no status. */
function withoutStatus({ status: _, ...item }: JsonObject): JsonObject {
  return item
}

function usageOf(usage: JsonObject): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = usage
  if (typeof input !== 'number') return undefined
  const cached = objectOf(usage['input_tokens_details'])['cached_tokens']
  return {
    input,
    output: typeof output === 'number' ? output : 0,
    ...(typeof cached === 'number' && cached > 0 && { cacheRead: Math.min(cached, input) }),
  }
}
