import { answers, type WireAnswer, type WireReply } from '@cadre/testing'

let replies = 0

/** A reply in the form of the API that was asked: Anthropic's messages or OpenAI's completions. */
export function wireReply(
  asked: { readonly path: string; readonly model: string; readonly stream: boolean },
  reply: WireReply,
): WireAnswer {
  const { path, model, stream } = asked
  if (path.endsWith('/chat/completions'))
    return stream ? answers.reply({ ...reply, model }) : answers.whole({ ...reply, model })
  if (!path.endsWith('/messages')) return answers.problem(404, 'not here')
  // Claude Code joins messages with the same id.
  const id = `msg_${++replies}`
  const calls = (reply.calls ?? []).map((call, index) => ({ id: `toolu_${replies}_${index}`, ...call }))
  const message = anthropicMessage(id, reply.text ?? '', calls, model)
  if (stream) return answers.raw(anthropicEvents(message))
  return answers.raw([JSON.stringify(message)], { headers: { 'content-type': 'application/json' } })
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

function anthropicMessage(
  id: string,
  text: string,
  calls: readonly { readonly id: string; readonly name: string; readonly input?: unknown }[],
  model: string,
) {
  const content: Block[] = [
    { type: 'text', text },
    ...calls.map(({ input = {}, ...call }) => ({ type: 'tool_use' as const, ...call, input })),
  ]
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10 },
  }
}

function anthropicEvents(message: ReturnType<typeof anthropicMessage>): string[] {
  const event = (type: string, data: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const blocks = message.content.flatMap((block, index) => {
    const [start, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ]
    return [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ]
  })
  const { stop_reason, stop_sequence, usage } = message
  return [
    event('message_start', { message: { ...message, content: [], stop_reason: null } }),
    ...blocks,
    event('message_delta', { delta: { stop_reason, stop_sequence }, usage }),
    event('message_stop', {}),
  ]
}
