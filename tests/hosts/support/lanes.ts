import { readTeamFiles } from '@cadre/agents'
import { startWire, type WireAnswer, type WireReply, type WireRequest } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { wireReply } from './wire-reply.ts'

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
    return wireReply({ path, model: model ?? 'fake', stream: stream === true }, { ...reply, calls })
  }
}
