import type { AgentDefinition } from './agent.ts'
import type { Engine } from './engine.ts'
import type { CadreEvent } from './events.ts'
import type { Answerer, Reviewer, Rule } from './gate.ts'
import type { Message, Models } from './model.ts'
import type { Attend } from './moment.ts'
import type { Notice } from './report.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Teams } from './teams.ts'
import type { Tool } from './tool.ts'
import type { Workspaces } from './workspaces.ts'

/** Time. Core reads no clock of its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back once after `ms`; the returned function takes it back. Must not keep the process alive by itself. */
  after(ms: number, callback: () => void): () => void
}

export interface Ids {
  /**
   * A new session id for this agent: unique, sortable in no particular way, safe as a file name. `root`: the tree it belongs to, if that
   * is not its own, for an engine that stores whole trees and must find a session by its id.
   */
  session(agent: string, root?: string): string
}

/** The agents of a home, by name. Asked at each delegation, so that a changed file counts from the next session on. */
export interface Agents {
  get(name: string): AgentDefinition | undefined
  list(): readonly AgentDefinition[]
}

/** The next question to a model, before it is asked. */
export interface ContextRequest {
  readonly messages: readonly Message[]
  readonly characters: number
  /** An estimate of the whole request. */
  readonly tokens: number
  /** Of the model, in tokens, if it is known. */
  readonly window: number | undefined
  /** The model has just refused the request because of its length. */
  readonly isTooLong: boolean
}

/** Everything the engine needs from outside. */
export interface Ports {
  readonly engine: Engine
  readonly models: Models
  readonly agents: Agents
  readonly tools: readonly Tool[]
  /** Rules beyond the engine's own: hooks, policy, approval. Judged in the order of `DecidedBy`. */
  readonly rules?: readonly Rule[]
  readonly reviewers?: readonly Reviewer[]
  /** Asked in order before a person is; the first answer counts. */
  readonly answerers?: readonly Answerer[]
  /** Told of what happens to each session. */
  readonly attend?: Attend
  /**
   * Where a path really leads, absolute, with every link in it followed as far as it exists; nothing when that cannot be
   * said. Must not throw. Without it, rules about paths go by what is written.
   */
  readonly locate?: (path: string, workspace: string) => string | undefined
  /**
   * Why a session may not run at all; nothing when it may. Asked whenever one is opened, at any depth, new or continued:
   * what was allowed when it was started may not be any more. Must not throw.
   */
  readonly refuse?: (session: SessionSpec) => Notice | undefined
  /**
   * Asked before each question how many of the oldest messages become a summary; 0 for none. Fewer are taken where a result would be
   * parted from its call. Must not throw. Asked again after a crash: only the summary is recorded. Without it, old rounds are
   * summarised when a request would fill most of the model's window.
   */
  readonly prepareContext?: (request: ContextRequest, session: SessionSpec) => number
  /** Folders of their own for sessions. Without it all of a tree work in the same one. */
  readonly workspaces?: Workspaces
  /** Where teams are kept, and what carries their messages. Whoever gives it gives `teamTools` as well. */
  readonly teams?: Teams
  readonly clock: Clock
  readonly ids: Ids
  /** Every event of every session, in order. Must not throw and must not wait. */
  readonly emit: (event: CadreEvent) => void
}
