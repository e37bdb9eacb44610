import type { AgentDefinition } from './agent.ts'
import type { Engine } from './engine.ts'
import type { CadreEvent } from './events.ts'
import type { Answerer, RequireApprovals, Reviewer, Rule } from './gate.ts'
import type { CollectKnowledge } from './knowledge.ts'
import type { Ledger } from './ledger.ts'
import type { LifecycleHandler } from './lifecycle-event.ts'
import type { Message, Models } from './model.ts'
import type { Notice } from './report.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Teams } from './teams.ts'
import type { Tool } from './tool.ts'
import type { Workspaces } from './workspaces.ts'

/** Time. Core uses no other clock. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `callback` once after `ms`. The returned function cancels it. Must not keep the process alive. */
  after(ms: number, callback: () => void): () => void
}

export interface IdGenerator {
  /**
   * A new session id for this agent: unique, in no particular order, safe as a file name. `root` is the entry session of its tree, unless
   * the session is an entry session itself. An engine that stores whole trees can use it to find a session by its id.
   */
  session(agent: string, root?: string): string
}

/** The agents by name. Core calls it for each delegation, so that a changed agent file applies to the next session. */
export interface Agents {
  get(name: string): AgentDefinition | undefined
  list(): readonly AgentDefinition[]
}

/** The next request to a model, before it is sent. */
export interface ContextRequest {
  readonly messages: readonly Message[]
  readonly characters: number
  /** The estimated size of the whole request. */
  readonly tokens: number
  /** The context window of the model in tokens, if known. */
  readonly window: number | undefined
  /** True if the model has just rejected the request because it is too long. */
  readonly isTooLong: boolean
}

/** Everything that core needs from outside. */
export interface Ports {
  readonly engine: Engine
  readonly models: Models
  readonly agents: Agents
  readonly tools: readonly Tool[]
  /** Rules in addition to those of core: hooks, policy, approval. Evaluated in the order of `DecidedBy`. */
  readonly rules?: readonly Rule<string>[]
  readonly reviewers?: readonly Reviewer[]
  /** Says how many people must approve a call that needs approval. Without it, one answer decides. */
  readonly requireApprovals?: RequireApprovals
  /** Called in order before Cadre asks a person. The first answer applies. */
  readonly answerers?: readonly Answerer<string>[]
  /** Called for the moments of each session. */
  readonly onLifecycleEvent?: LifecycleHandler
  /**
   * Resolves a path to an absolute one and follows all links, as far as the path exists. Returns nothing if that is impossible. Must not
   * throw. Without it, rules use paths as written.
   */
  readonly locate?: (path: string, workspace: string) => string | undefined
  /**
   * Returns the reason why a session may not run, or nothing if it may. Called whenever a session at any depth is started or resumed,
   * because the answer may have changed since it was started. Must not throw.
   */
  readonly refuse?: (session: SessionSpec) => Notice | undefined
  /**
   * Called before each request: returns how many of the oldest messages to summarise, or 0. Cadre takes fewer if a result would be
   * separated from its call. Must not throw. Called again after a crash, because Cadre records only the summary. Without it, Cadre
   * summarises old rounds when a request would fill most of the context window.
   */
  readonly prepareContext?: (request: ContextRequest, session: SessionSpec) => number
  /**
   * What a session knows besides the prompt of its agent: instructions of its workspace, skills, facts about the environment. Called
   * once per session, when it is specified. Cadre records the text as a part of the system prompt. Without it, sessions know nothing else.
   */
  readonly inform?: CollectKnowledge
  /** Gives sessions their own workspaces. Without it, all sessions of a tree share one. */
  readonly workspaces?: Workspaces
  /** Stores teams and delivers their messages. If you set it, also add `teamTools` to `tools`. */
  readonly teams?: Teams
  /** Budgets and limits that all runs of the home share. Without it, there are none. */
  readonly ledger?: Ledger
  readonly clock: Clock
  readonly ids: IdGenerator
  /** Receives every event of every session, in order. Must not throw or block. */
  readonly emit: (event: CadreEvent) => void
}
