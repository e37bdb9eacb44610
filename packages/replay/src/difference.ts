import type { Json } from '@cadre/core'

/**
 * `session`: a session exists in only one of the runs. `agent`: a field of the agent's definition. `prompt`: the system prompt. `decision`: the
 * decision for a call. `call`: the arguments that the tool gets. `result`: what the model gets back. `message`: what Cadre or a hook wrote to
 * the model. `round`: the session had more or fewer rounds. `report`: how the session ended.
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
  /** The session's number in the fixture, starting from 1, or 0 if the recording does not contain the session. */
  readonly session: number
  /** The chain of agents, from the entry session to this one. */
  readonly agents: readonly string[]
  /** 0 before the first reply. */
  readonly round: number
  readonly call?: { readonly id: string; readonly tool: string }
  /** The field of the agent, or the name of the compared part. */
  readonly what?: string
  readonly before: Json
  readonly after: Json
  /** Set if an earlier difference may have caused this one, because this session or one below it had already left the recorded path. */
  readonly isAfterDifference?: true
}
