/** A model reply, in the form that tests write. */
export interface WireReply {
  readonly text?: string
  readonly calls?: readonly WireReplyCall[]
  readonly usage?: { readonly input: number; readonly output: number }
  /** The number of pieces of the text. Default: 1. */
  readonly pieces?: number
  readonly model?: string
  /** Default: `tool_calls` if there are calls, otherwise `stop`. */
  readonly finish?: string
  /** False omits the closing `[DONE]`. */
  readonly done?: boolean
}

export interface WireReplyCall {
  readonly id?: string
  readonly name: string
  /** An object is sent as JSON, text unchanged, valid or not. */
  readonly input?: unknown
}

/** A reply as the events of a chat completion stream, each ready to be written. */
export function streamOf(reply: WireReply): string[] {
  const { usage, done = true, model = 'wire' } = reply
  const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
  const chunk = (delta: unknown, finish_reason: string | null = null) =>
    event({ object: 'chat.completion.chunk', model, choices: [{ index: 0, delta, finish_reason }] })
  return [
    chunk({ role: 'assistant', content: '' }),
    ...cut(reply.text ?? '', reply.pieces ?? 1).map((content) => chunk({ content })),
    ...callsOf(reply).flatMap((call, index) => [
      chunk({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }),
      chunk({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] }),
    ]),
    chunk({}, finishOf(reply)),
    ...(usage ? [event({ object: 'chat.completion.chunk', model, choices: [], usage: usageOf(usage) })] : []),
    ...(done ? ['data: [DONE]\n\n'] : []),
  ]
}

/** The reply as one JSON body, as from a server that does not stream. */
export function completionOf(reply: WireReply): unknown {
  const { text, usage, model = 'wire' } = reply
  const calls = callsOf(reply)
  const message = { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) }
  return {
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message, finish_reason: finishOf(reply) }],
    ...(usage && { usage: usageOf(usage) }),
  }
}

function callsOf({ calls = [] }: WireReply) {
  return calls.map(({ id, name, input = {} }, index) => ({
    id: id ?? `call_wire_${index + 1}`,
    type: 'function',
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }))
}

function finishOf({ finish, calls = [] }: WireReply): string {
  return finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
}

function usageOf({ input, output }: { input: number; output: number }) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
}

function cut(text: string, pieces: number): string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}
