import { readTeamFiles } from '@cadre/agents'
import { answers, startWire, type WireAnswer, type WireReply, type WireRequest } from '@cadre/testing'
import { onTestFinished } from 'vitest'

/** The lines of each agent of the supervisor team, one reply per round. After its last reply it says "Done." */
export type Lanes = Readonly<Record<string, readonly WireReply[]>>

export interface Asked {
  readonly agent: string
  /** The last message of the request, as JSON. */
  readonly received: string
}

export interface LaneServer {
  /** Without `/v1`. */
  readonly url: string
  /** Every request of a team agent, in order of arrival. */
  readonly asked: readonly Asked[]
  /** What an agent received before its n-th reply, from 1. */
  received(agent: string, n: number): string
}

interface Message {
  readonly role: string
  readonly content: unknown
}

/** A model server for the tested programs: Anthropic's messages and OpenAI's completions. */
export async function serveLanes(lanes: Lanes): Promise<LaneServer> {
  const prompts = readTeamFiles('supervisor').map(({ agent }) => ({
    name: agent.name,
    // Hosts may wrap lines or add their own text. The first sentence is the agent's own.
    mark: agent.prompt.trim().split('.')[0] ?? '',
  }))
  const asked: Asked[] = []
  let replies = 0
  const wire = await startWire((request) => answer(request))
  onTestFinished(() => wire.close())
  return {
    url: wire.url.replace(/\/v1$/, ''),
    asked,
    received: (agent, n) => asked.filter((one) => one.agent === agent)[n - 1]?.received ?? '',
  }

  function answer({ path, body }: WireRequest): WireAnswer {
    const {
      messages = [],
      system,
      stream,
      model,
    } = (body ?? {}) as {
      messages?: readonly Message[]
      system?: unknown
      stream?: boolean
      model?: string
    }
    const heads = messages.filter(({ role }) => role === 'system' || role === 'developer')
    const head = JSON.stringify([system, heads])
    const agent = prompts.find(({ mark }) => head.includes(mark))?.name
    const round = messages.filter(({ role }) => role === 'assistant').length
    if (agent !== undefined) asked.push({ agent, received: JSON.stringify(messages.at(-1)) })
    const planned = agent === undefined ? undefined : lanes[agent]?.[round]
    const reply = { text: 'Done.', ...planned, usage: { input: 10, output: 10 } }
    const calls =
      reply.calls?.map((call, index) => ({ ...call, id: `call_${agent}_${round}_${index}` })) ?? []
    return answerInFormat({ path, stream, model }, { ...reply, calls }, `msg_${++replies}`)
  }
}

export interface RequestFormat {
  readonly path: string
  readonly stream?: boolean | undefined
  readonly model?: string | undefined
}

/** The reply in the format of the request: Anthropic's messages or OpenAI's completions, streamed or whole. */
export function answerInFormat(
  { path, stream, model = 'fake' }: RequestFormat,
  reply: WireReply & { readonly calls: readonly { readonly id: string; readonly name: string }[] },
  id: string,
): WireAnswer {
  if (path.endsWith('/chat/completions')) {
    const whole = { ...reply, model }
    return stream === true ? answers.reply(whole) : answers.whole(whole)
  }
  if (!path.endsWith('/messages')) return answers.problem(404, 'not here')
  // Claude Code joins messages with the same id.
  const message = anthropicMessage(id, reply.text ?? '', reply.calls, model)
  if (stream === true) return answers.raw(anthropicEvents(message))
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
