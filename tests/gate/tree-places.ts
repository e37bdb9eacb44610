import type { Reply, ReplyFailure } from '@cadre/core'
import { call, fail, type Line, say } from '@cadre/testing'

/** The agents from the root down, one per depth. */
export const names = ['root', 'first', 'second', 'third'] as const

/** A place in a tree where something is attempted, and how the session gets there. */
export interface Place {
  readonly name: string
  readonly depth: 1 | 2 | 3
  /** The number of attempts until the end. */
  readonly tries: number
  /** Allowed calls before the first attempt: delegations. */
  readonly callsBefore: number
  /** The lines of each agent. `attempt` is the attempted call; `reached` is called where a life ends. */
  lanes(attempt: Reply, reached: () => void): Readonly<Record<string, readonly Line[]>>
  /**
   * How a second life starts, in a new engine on the same files: a person stopped the first, its process died, or
   * everything has ended and a person continues the last session alone.
   */
  readonly ending?: 'stopped' | 'died' | 'continued'
}

const done = say('done')

type Call = readonly [tool: string, input: object]
type Hop = (agent: string, way: number) => Call

/** Alternates between the names of delegation, so that none of them is a loophole. */
const waiting: Hop = (agent, way) =>
  way % 2 === 0
    ? ['delegate_task', { prompt: 'p', subagent_type: agent, wait_for_result: true }]
    : ['runSubagent', { prompt: 'p', agentName: agent, description: 'd' }]
const background: Hop = (agent) => ['delegate_task', { prompt: 'p', subagent_type: agent }]

/** A team of this many members. */
const team =
  (size: number): Hop =>
  (agent) => [
    'create_team',
    {
      name: `team-of-${agent}`,
      members: Array.from({ length: size }, (_, at) => ({
        name: `mate-${at}`,
        agentType: agent,
        initialPrompt: 'p',
      })),
    },
  ]

/** Every agent above delegates down, the last one with `last`; the agent at this depth does `work`. */
function chain(depth: number, last: readonly Line[], work: readonly Line[], hop = waiting) {
  const above = names.slice(0, depth - 1).map((name, at) => {
    return [name, [call(hop(names[at + 1] as string, at)), done, done]] as const
  })
  return Object.fromEntries([...above, [names[depth - 1], last], [names[depth], work]])
}

/** Something else on the first request, in any session. */
function once(first: () => ReplyFailure | 'hang', after: Reply): Line {
  let asked = false
  return () => {
    if (asked) return after
    asked = true
    return first()
  }
}

const depths = [1, 2, 3] as const

/** All places. A control that applies in all of them applies in the whole tree. */
export const places: readonly Place[] = depths.flatMap((depth): Place[] => {
  const worker = names[depth] as string
  const to = (count = 1, hop = waiting) =>
    call(...Array.from({ length: count }, (_, way) => hop(worker, way)))
  const interrupted = (ending: 'stopped' | 'died', hop = waiting): Place => ({
    name: `after a resume of ${hop === waiting ? 'what' : 'a teammate that'} ${ending === 'died' ? 'died' : 'was stopped'} at depth ${depth}`,
    depth,
    tries: 1,
    callsBefore: depth,
    ending,
    lanes(attempt, reached) {
      const hang = () => {
        reached()
        return 'hang' as const
      }
      return chain(depth, [to(1, hop), done, done], [once(hang, attempt), done], hop)
    },
  })
  return [
    {
      name: `at depth ${depth}`,
      depth,
      tries: 1,
      callsBefore: depth,
      lanes: (attempt) => chain(depth, [to(), done], [attempt, done]),
    },
    {
      name: `in parallel children at depth ${depth}`,
      depth,
      tries: 3,
      callsBefore: depth + 2,
      lanes: (attempt) => chain(depth, [to(3), done], [attempt, done]),
    },
    {
      name: `in a background delegation at depth ${depth}`,
      depth,
      tries: 1,
      callsBefore: depth,
      lanes: (attempt) => chain(depth, [to(1, background), done, done], [attempt, done], background),
    },
    {
      name: `in a teammate at depth ${depth}`,
      depth,
      tries: 1,
      callsBefore: depth,
      lanes: (attempt) => chain(depth, [to(1, team(1)), done, done], [attempt, done], team(1)),
    },
    {
      name: `in teammates of one agent at depth ${depth}`,
      depth,
      tries: 3,
      callsBefore: depth,
      lanes: (attempt) => chain(depth, [to(1, team(3)), done, done], [attempt, done], team(1)),
    },
    interrupted('stopped'),
    interrupted('died'),
    interrupted('stopped', team(1)),
    interrupted('died', team(1)),
    {
      name: `after a retry at depth ${depth}`,
      depth,
      tries: 1,
      callsBefore: depth + 1,
      lanes: (attempt) =>
        chain(depth, [to(), to(), done], [once(() => fail('the line went dead'), attempt), done]),
    },
    {
      name: `when it is tried again at depth ${depth}`,
      depth,
      tries: 2,
      callsBefore: depth,
      lanes: (attempt) => chain(depth, [to(), to(), done], [attempt, done]),
    },
    {
      name: `when a child at depth ${depth} is continued by itself`,
      depth,
      tries: 1,
      callsBefore: depth,
      ending: 'continued',
      lanes: (attempt) => chain(depth, [to(), done], [say('done for now'), attempt, done]),
    },
  ]
})
