import type { AgentRegistry } from '@cadre/agents'
import type { ProblemItem } from '@cadre/api'
import type { Answer, JsonObject, Orchestrator, StoredSession } from '@cadre/core'
import type { ApprovalRecord, Decided } from '@cadre/gate'
import type { Home } from '@cadre/home'
import type { Environment } from '@cadre/runtime'
import type { DaemonContext } from '../daemon-context.ts'
import type { Caller } from './guard/caller.ts'
import type { Credentials } from './guard/credentials.ts'
import type { LoginGrant } from './guard/login-file.ts'
import type { SessionIndex } from './index/session-index.ts'
import type { Hub } from './stream/hub.ts'

/** Everything that routes use. Both the daemon and `cadre open` without a daemon create one. */
export interface ApiContext {
  readonly home: Home
  /** Environment variables, the current folder and a function that prints warnings, for routes that load agents or policies. */
  readonly environment: Environment
  /** The folder that agents without their own workspace may change. */
  readonly workspace: string
  readonly version: string
  /** True if nobody may change anything or decide approvals. */
  readonly readOnly: boolean
  /** Whether commands run in a sandbox. */
  sandbox(): Promise<boolean>
  readonly index: SessionIndex
  readonly hub: Hub
  readonly sessions: SessionReader
  readonly approvals: ApprovalOperations
  /** The same JSON as `cadre status --json`. */
  status(): JsonObject
  problems(): readonly ProblemItem[]
  /** Uses the login that has this secret. Returns `undefined` if there is none. */
  takeLogin(secret: string): LoginGrant | undefined
  /** Absent without a daemon. The routes then cannot start, merge or edit anything. */
  readonly operate?: DaemonOperations
}

/** The parts of a route's context that the server adds. */
export interface RouteContext extends ApiContext {
  readonly credentials: Credentials
  /** The OpenAPI document. */
  describe(): JsonObject
}

/** Reads session files. Does not take leases or repair files. */
export interface SessionReader {
  /** Rejects with a `CadreError` if the file cannot be read. */
  read(id: string): Promise<StoredSession | undefined>
  /** The file's bytes. */
  bytes(id: string): Buffer | undefined
}

/** `undefined` if the decision would be accepted. */
export type Objections = (record: ApprovalRecord) => Promise<string | undefined>

export interface ApprovalOperations {
  /** All approvals that these sessions have requested. */
  of(sessions: readonly string[]): Promise<readonly ApprovalRecord[]>
  /** Returns a function that explains, in a sentence, why the caller's decision on an approval would be rejected. */
  objections(caller: Caller): Promise<Objections>
  /** Records the caller's decision or vote. */
  decide(record: ApprovalRecord, answer: Answer, caller: Caller): Promise<Decided>
}

/** The parts of a running daemon. */
export interface DaemonOperations {
  /** Its sessions, problems and agents, as duties see them. */
  readonly daemon: DaemonContext
  /** The orchestrator for the current configuration. */
  orchestrator(): Orchestrator
  registry(): AgentRegistry
}
