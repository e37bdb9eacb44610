import {
  type AgentDefinition,
  defineTool,
  type Entry,
  object,
  type ResultEntry,
  type Tool,
} from '@cadre/core'
import {
  call,
  createTestTeam,
  defineAgent,
  type Line,
  say,
  type TestTeam,
  type TestTeamOptions,
} from '@cadre/testing'
import { createTools } from '@cadre/tools'
import type { World } from './worlds.ts'

export type Call = readonly [tool: string, input: unknown]

/** The depth of an agent: started by a person, by an agent, and below two others. */
export const depths = [0, 1, 3] as const

const lookup = defineTool({
  name: 'mcp__docs__find',
  description: 'A tool of a server',
  class: 'read',
  effect: 'read',
  input: object({}),
  run: async () => ({ content: 'found' }),
})
/** The real tools without their effects, and an external one. */
const tools: readonly Tool[] = [
  ...createTools().map((tool): Tool => ({ ...tool, run: async () => ({ content: 'did it' }) })),
  lookup as Tool,
]

export const work = (agentName: string): Call => [
  'delegateWork',
  { agentName, workDescription: `work for ${agentName}`, reportExpectations: 'all' },
]

/** Ends a session in the required way. */
export const finish: Line = ({ tools: offers }) =>
  offers.some((offer) => offer.name === 'reportOut') ? call(['reportOut', { report: 'done' }]) : say('done')

export interface Place extends Partial<TestTeamOptions> {
  readonly subject: AgentDefinition
  readonly depth: (typeof depths)[number]
  readonly lines: readonly Line[]
  readonly others?: readonly AgentDefinition[]
}

/** A team in which the subject works at this depth, with two other agents that it might delegate to. */
export function place({ subject, depth, lines, others, lanes, ...options }: Place): TestTeam {
  const above = ['entry', 'a', 'b'].slice(0, depth)
  const next = (index: number) => above[index + 1] ?? subject.name
  const chain = above.map((name, index) =>
    defineAgent({ name, delegates: { kind: 'list', names: [next(index)] } }),
  )
  const helpers = others ?? [defineAgent({ name: 'helper' }), defineAgent({ name: 'secret' })]
  return createTestTeam({
    agents: [...chain, subject, ...helpers],
    tools,
    limits: { depth: 6 },
    ...options,
    lanes: {
      ...Object.fromEntries(above.map((name, index) => [name, [call(work(next(index))), finish]])),
      ...Object.fromEntries(helpers.map(({ name }) => [name, [finish]])),
      [subject.name]: lines,
      ...lanes,
    },
  })
}

/** Starts it from the top, even an agent that people may not start. */
export async function run(
  team: TestTeam,
  { subject, depth }: Pick<Place, 'subject' | 'depth'>,
  signal?: AbortSignal,
) {
  const agent = depth === 0 ? subject.name : 'entry'
  return team.report({ agent }, signal)
}

export async function entriesOf(team: TestTeam, agent: string): Promise<readonly Entry[]> {
  const started = team.events.find((event) => event.type === 'session.started' && event.agent === agent)
  return started === undefined ? [] : ((await team.engine.read(started.session))?.entries ?? [])
}

export async function resultsOf(team: TestTeam, agent: string): Promise<readonly ResultEntry[]> {
  return (await entriesOf(team, agent)).flatMap((entry) => (entry.role === 'tool_result' ? [entry] : []))
}

/** The outcome of an agent's first call. Fails if there was none. */
export async function firstResult(team: TestTeam, agent: string): Promise<ResultEntry> {
  const [first] = await resultsOf(team, agent)
  if (first === undefined) throw new Error(`${agent} has made no call`)
  return first
}

/** The outcome of one call of the subject at a depth. */
export async function settle(
  subject: AgentDefinition,
  depth: Place['depth'],
  made: Call,
): Promise<ResultEntry> {
  const team = place({ subject, depth, lines: [call(made), finish] })
  await run(team, { subject, depth })
  return firstResult(team, subject.name)
}

/**
 * The same after the process ended before the call, with session files read back, and with another agent with that name by
 * then: the session's original definition applies.
 */
export async function settleAfterResume(
  world: World,
  subject: AgentDefinition,
  later: AgentDefinition,
  made: Call,
): Promise<ResultEntry> {
  const depth = 3
  const stop = new AbortController()
  const hang: Line = () => {
    queueMicrotask(() => stop.abort())
    return 'hang'
  }
  const first = place({ subject, depth, lines: [hang], engine: await world.open(), clock: world.clock })
  const { session } = await run(first, { subject, depth }, stop.signal)
  await world.close()
  const second = place({
    subject: later,
    depth,
    lines: [call(made), finish],
    engine: await world.open(),
    clock: world.clock,
  })
  await second.orchestrator.resume(session, {}, new AbortController().signal)
  return firstResult(second, subject.name)
}
