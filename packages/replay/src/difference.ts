import type { Json } from '@cadre/core'

/**
 * `session`: a session was started, or was not. `agent`: a field of the agent's definition. `prompt`: the system prompt. `decision`: what
 * was decided about a call. `call`: the arguments that the tool gets. `result`: what the model gets back. `message`: what Cadre or a hook
 * wrote to the model. `round`: the session had more rounds, or fewer. `report`: how it ended.
 */
export type DifferenceKind =
  | 'session'
  | 'agent'
  | 'prompt'
  | 'decision'
  | 'call'
  | 'result'
  | 'message'
  | 'round'
  | 'report'

export interface Difference {
  readonly kind: DifferenceKind
  /** The number of the session in the fixture, from 1; 0 for a session that the record does not have. */
  readonly session: number
  /** The agents from the entry session down to this one. */
  readonly agents: readonly string[]
  /** 0: before the first reply. */
  readonly round: number
  readonly call?: { readonly id: string; readonly tool: string }
  /** The field of the agent, or what is compared. */
  readonly what?: string
  readonly before: Json
  readonly after: Json
  /** Set if an earlier difference may have caused it: the session had left the recorded path, or a session below it had. */
  readonly isAfterDifference?: true
}
