import type { HookEvent } from '@cadre/agents'
import type {
  AgentDefinition,
  Agents,
  Answerer,
  JudgedCall,
  LifecycleHandler,
  Reviewer,
  Rule,
  SessionSpec,
} from '@cadre/core'
import type { TrustItem } from '@cadre/home'
import { createAgentHooks } from './agent-hooks.ts'
import { answerWithHooks } from './answer-with-hooks.ts'
import { createHookHandler } from './create-hook-handler.ts'
import type { Hook, HookSet } from './hook.ts'
import { createHookRunner, type HookRun, type HookRunner } from './hook-runner.ts'
import { judgeWithHooks } from './judge-with-hooks.ts'
import { type MatchSubject, matchesHook } from './matches-hook.ts'
import { placeOf } from './place-of.ts'
import { createProcessSlots, type ProcessSlots } from './process-slots.ts'
import { reviewWithHooks } from './review-with-hooks.ts'

export interface HooksOptions {
  /** Called for every event, so the caller decides when files are read again. */
  readonly hooks: () => HookSet
  /** The folder that hooks run in and that contains their scripts. */
  readonly project: string
  readonly userHome: string
  readonly environment: (extra: { readonly [name: string]: string }) => NodeJS.ProcessEnv
  /** Receives messages for a person, one sentence each. */
  readonly tell: (message: string) => void
  /** The agents of the run, to look up the ancestors of a session. */
  readonly agents?: Agents | undefined
  /** Decides about hooks of agents that are part of the project. */
  readonly trusted?: ((item: TrustItem) => boolean) | undefined
  /** A home of the user's own: its agents are not part of the project. */
  readonly ownHome?: string | undefined
  /** For untrusted hooks of agents: `barred` denies the calls they would judge. Default: `idle`. */
  readonly untrustedHooks?: 'idle' | 'barred' | undefined
  /** Returns the session file, for hooks that read it. */
  readonly transcript?: ((session: string) => string | undefined) | undefined
  readonly now?: () => number
  /** The maximum number of concurrent hook processes; others wait. */
  readonly max?: number
  readonly slots?: ProcessSlots
  readonly certificates?: string | undefined
  readonly graceMs?: number | undefined
  /** Called when a hook has run, for telemetry. Must not throw. */
  readonly ran?: ((run: HookRun) => void) | undefined
}

/** The connections of hooks to the gate and the loop. */
export interface Hooks {
  readonly rule: Rule
  readonly answerer: Answerer
  readonly reviewer: Reviewer
  readonly onLifecycleEvent: LifecycleHandler
  /** Events with at least one hook that runs, from the files or an agent of the run. */
  readonly events: ReadonlySet<HookEvent>
  /** Returns the hooks that would run before a call, as `path:line`. Runs nothing. */
  wouldRun(call: JudgedCall, session: SessionSpec): readonly string[]
}

/** Returns the hooks to run for an event of a session, in order. */
export type SelectHooks = (event: HookEvent, session: SessionSpec, subject: MatchSubject) => readonly Hook[]

export interface HookParts {
  readonly hooksFor: SelectHooks
  readonly runner: HookRunner
  readonly tell: (message: string) => void
  /** Formats `path:line` for display. */
  readonly place: (hook: Hook) => string
}

const noAgents: Agents = { get: () => undefined, list: () => [] }

export function createHooks(options: HooksOptions): Hooks {
  const { hooks, agents = noAgents, project, trusted = () => false } = options
  const hooksOf = createAgentHooks({ ...options, project, trusted, agents })
  const ownHooks = createOwnHooks(agents)
  const hooksFor: SelectHooks = (event, session, subject) => {
    const own = ownHooks(event, session).flatMap((agent) =>
      hooksOf(agent).map((hook) => forEvent(hook, event)),
    )
    const files = byEvent(hooks()).get(event)
    if (own.length === 0 && files === undefined) return []
    return [...own.filter((hook) => hook.event === event), ...(files ?? [])].filter(
      (hook) => hook.idle === undefined && matchesHook(hook, subject),
    )
  }
  const runner = createHookRunner({
    ...options,
    slots: options.slots ?? createProcessSlots(options.max ?? 8),
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
    onLifecycleEvent: createHookHandler(parts),
    events,
    wouldRun: (call, session) =>
      call.tool.kind === 'report'
        ? []
        : hooksFor('PreToolUse', session, { kind: 'call', call, session }).map(place),
  }
}

/** The number of runs whose agents are cached; far more than run at once. */
const maxCached = 10_000

/**
 * The agents whose own hooks apply to a session: its own agent and, before a call, all agents above it. Otherwise an agent
 * could delegate what its hooks deny. The definitions of ancestors are looked up once per run, because files must not be
 * read for every call.
 */
function createOwnHooks(agents: Agents) {
  const known = new Map<string, AgentDefinition | undefined>()
  return (event: HookEvent, { agent, chain, root }: SessionSpec): readonly AgentDefinition[] => {
    const keyOf = (name: string) => `${root}\0${name}`
    if (known.size > maxCached) known.clear()
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

/**
 * When a delegated agent ends, `Stop` hooks in its own file run as `SubagentStop`. Hooks in other files must be registered for
 * `SubagentStop`.
 */
function forEvent(hook: Hook, event: HookEvent): Hook {
  return hook.event === 'Stop' && event === 'SubagentStop' ? { ...hook, event } : hook
}

const indexes = new WeakMap<HookSet, Map<HookEvent, Hook[]>>()

/** Most calls have no hook, so this must cost only one lookup. */
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
