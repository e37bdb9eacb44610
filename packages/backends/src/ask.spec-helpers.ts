import type { Clock, Message, Model, ModelRequest, Reply, ReplyFailure, ReplyHooks } from '@cadre/core'

export function question(over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    agent: 'lead',
    session: 'lead-1',
    round: 1,
    system: 'You lead.',
    messages: [{ role: 'user', content: 'Do it.' }],
    tools: [],
    ...over,
  }
}

export const noHooks: ReplyHooks = { text: () => {} }

export interface Answered {
  readonly reply: Reply | ReplyFailure
  /** The pieces of text, as streamed. */
  readonly streamed: readonly string[]
}

export async function ask(
  model: Model,
  over: Partial<ModelRequest> = {},
  signal = neverAborted(),
): Promise<Answered> {
  const streamed: string[] = []
  const reply = await model.reply(
    question(over),
    { ...noHooks, text: (delta) => void streamed.push(delta) },
    signal,
  )
  return { reply, streamed }
}

export async function askFor(model: Model, over: Partial<ModelRequest> = {}): Promise<Reply> {
  const { reply } = await ask(model, over)
  if (reply.kind === 'failed') throw new Error(reply.message)
  return reply
}

export async function failureOf(model: Model, over: Partial<ModelRequest> = {}): Promise<ReplyFailure> {
  const { reply } = await ask(model, over)
  if (reply.kind === 'reply') throw new Error(`expected a failure, got ${JSON.stringify(reply)}`)
  return reply
}

export function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** A clock on which every wait below a minute ends immediately, and longer ones never end. */
export function fastClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.UTC(2026, 0, 1),
    after(ms, callback) {
      if (ms >= 60_000) return () => {}
      waits.push(ms)
      const soon = setImmediate(callback)
      return () => clearImmediate(soon)
    },
  }
}

/** The messages of a session after `rounds` replies with one call each. */
export function messagesAfter(rounds: number, work = 'Do it.'): Message[] {
  const messages: Message[] = [{ role: 'user', content: work }]
  for (let round = 1; round <= rounds; round++) {
    const id = `call_${round}_1`
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'probe', arguments: '{}' } }],
    })
    messages.push({ role: 'tool_result', tool_call_id: id, content: `result of ${id}` })
  }
  return messages
}
