import type { HookEvent } from '@cadre/agents'
import type {
  AgentDefinition,
  Agents,
  Answerer,
  Attend,
  JudgedCall,
  Reviewer,
  Rule,
  SessionSpec,
} from '@cadre/core'
import type { TrustItem } from '@cadre/home'
import { createAgentHooks } from './agent-hooks.ts'
import { answerWithHooks } from './answer-with-hooks.ts'
import { attendWithHooks } from './attend-with-hooks.ts'
import { fitsMatcher, type MatchSubject } from './fits-matcher.ts'
import type { Hook, HookSet } from './hook.ts'
import { createHookRunner, type HookRunner } from './hook-runner.ts'
import { judgeWithHooks } from './judge-with-hooks.ts'
import { placeOf } from './place-of.ts'
import { createProcessSlots, type ProcessSlots } from './process-slots.ts'
import { reviewWithHooks } from './review-with-hooks.ts'

export interface HooksOptions {
  /** Asked for every event, so that whoever gives it decides when files are read again. */
  readonly hooks: () => HookSet
  /** Where hooks run, and whose scripts they name. */
  readonly project: string
  readonly userHome: string
  readonly environment: (extra: { readonly [name: string]: string }) => NodeJS.ProcessEnv
  /** Gets what a person should know, a sentence each. */
  readonly tell: (message: string) => void
  /** Agents of the run: those above a session in its chain are looked up here. */
  readonly agents?: Agents | undefined
  /** For the hooks of agents that came with the project. */
  readonly trusted?: ((item: TrustItem) => boolean) | undefined
  /** A home of the user's own: agents in it did not come with the project. */
  readonly ownHome?: string | undefined
  /** Hooks of agents that nobody has agreed to: `barred` denies what they would have been asked about. Default: `idle`. */
  readonly strangers?: 'idle' | 'barred' | undefined
  /** The file of a session, for those who want to read it. */
  readonly transcript?: ((session: string) => string | undefined) | undefined
  readonly now?: () => number
  /** Hook processes at once; the rest wait their turn. */
  readonly most?: number
  readonly slots?: ProcessSlots
  readonly certificates?: string | undefined
  readonly graceMs?: number | undefined
}

/** What hooks have to say, for each place where the gate and the loop ask. */
export interface Hooks {
  readonly rule: Rule
  readonly answerer: Answerer
  readonly reviewer: Reviewer
  readonly attend: Attend
  /** Events for which at least one hook of the files or of an agent of the run is run. */
  readonly events: ReadonlySet<HookEvent>
  /** The hooks that a call would run before it, as `path:line`. Starts nothing. */
  wouldRun(call: JudgedCall, session: SessionSpec): readonly string[]
}

/** Finds what is to be run for an event of a session, in the order in which it is asked. */
export type HooksFor = (event: HookEvent, session: SessionSpec, subject: MatchSubject) => readonly Hook[]

export interface HookParts {
  readonly hooksFor: HooksFor
  readonly runner: HookRunner
  readonly tell: (message: string) => void
  /** `path:line`, as it is shown. */
  readonly place: (hook: Hook) => string
}

const nobody: Agents = { get: () => undefined, list: () => [] }

export function createHooks(options: HooksOptions): Hooks {
  const { hooks, agents = nobody, project, trusted = () => false } = options
  const hooksOf = createAgentHooks({ ...options, project, trusted, agents })
  const ownHooks = createOwnHooks(agents)
  const hooksFor: HooksFor = (event, session, subject) => {
    const own = ownHooks(event, session).flatMap((agent) =>
      hooksOf(agent).map((hook) => forEvent(hook, event)),
    )
    const files = byEvent(hooks()).get(event)
    if (own.length === 0 && files === undefined) return []
    return [...own.filter((hook) => hook.event === event), ...(files ?? [])].filter(
      (hook) => hook.idle === undefined && fitsMatcher(hook, subject),
    )
  }
  const runner = createHookRunner({
    ...options,
    slots: options.slots ?? createProcessSlots(options.most ?? 8),
    transcript: options.transcript ?? (() => undefined),
    now: options.now ?? Date.now,
  })
  const place = (hook: Hook) => placeOf(hook, project)
  const parts: HookParts = { hooksFor, runner, tell: options.tell, place }
  const events = new Set(
    [...hooks().hooks, ...agents.list().flatMap((agent) => hooksOf(agent))]
      .filter(({ idle }) => idle === undefined)
      .map(({ event }) => event),
  )
  return {
    rule: judgeWithHooks(parts, !events.has('PreToolUse')),
    answerer: answerWithHooks(parts),
    reviewer: reviewWithHooks(parts),
    attend: attendWithHooks(parts),
    events,
    wouldRun: (call, session) =>
      call.tool.kind === 'report'
        ? []
        : hooksFor('PreToolUse', session, { kind: 'call', call, session }).map(place),
  }
}

/** Runs whose agents are remembered; far more than are at work at once. */
const mostKnown = 10_000

/**
 * Agents whose own hooks count for a session: itself, and, for what is asked before a call, all above it: what an agent's
 * hooks forbid it must not be able to have done by somebody it starts. Those above count as they were when they were first
 * seen in this run, and are looked up once: files must not be read for every call.
 */
function createOwnHooks(agents: Agents) {
  const known = new Map<string, AgentDefinition | undefined>()
  return (event: HookEvent, { agent, chain, root }: SessionSpec): readonly AgentDefinition[] => {
    const keyOf = (name: string) => `${root}\0${name}`
    if (known.size > mostKnown) known.clear()
    if (known.get(keyOf(agent.name)) === undefined) known.set(keyOf(agent.name), agent)
    if (event !== 'PreToolUse' || chain.length < 2) return [agent]
    const above = chain.flatMap((name) => {
      if (name === agent.name) return []
      const key = keyOf(name)
      if (!known.has(key)) known.set(key, agents.get(name))
      return known.get(key) ?? []
    })
    return [agent, ...above]
  }
}

/** The end of an agent is Stop in its own file, and SubagentStop where somebody else has started it. */
function forEvent(hook: Hook, event: HookEvent): Hook {
  return hook.event === 'Stop' && event === 'SubagentStop' ? { ...hook, event } : hook
}

const indexes = new WeakMap<HookSet, Map<HookEvent, Hook[]>>()

/** Most calls of most sessions have no hook: that must cost one lookup. */
function byEvent(set: HookSet): ReadonlyMap<HookEvent, readonly Hook[]> {
  const made = indexes.get(set)
  if (made !== undefined) return made
  const index = new Map<HookEvent, Hook[]>()
  for (const hook of set.hooks) {
    if (hook.idle !== undefined) continue
    index.set(hook.event, [...(index.get(hook.event) ?? []), hook])
  }
  indexes.set(set, index)
  return index
}
