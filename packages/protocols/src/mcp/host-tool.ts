import type { Schema } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { Delegations } from './delegations.ts'
import type { HostPermissions } from './host-permissions.ts'

/** The program that calls the server, as it describes itself. */
export interface HostClient {
  readonly name: string
  /** It can show a form to its user. */
  readonly elicits: boolean
}

/** One call of a tool by a host. */
export interface HostCall {
  readonly client: HostClient
  readonly permissions: HostPermissions
  readonly delegations: Delegations
  /** The `traceparent` of the call, if it is valid. */
  readonly trace?: string
  /** Tells the host that the call is still working on it. Does nothing if the host does not want to know. */
  progress(message: string): Promise<void>
  /** What the user of the host answered to forms of this call, by the id of the approval. */
  readonly answers: ReadonlyMap<string, FormAnswer>
  readonly signal: AbortSignal
}

/** `none`: the user closed the form, or the host could not show it. */
export interface FormAnswer {
  readonly decision: 'approve' | 'reject' | 'none'
  readonly reason?: string
}

/** A tool of the server. */
export interface HostTool<Input> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Schema<Input>
  /** True if it changes nothing. Some hosts then do not ask their user. */
  readonly reads: boolean
  /** Claude Code shows its model the description of this tool from the start. */
  readonly alwaysLoad?: true
  /** Returns the answer for the model, or an approval to show to the user of the host first. Rejects with a `CadreError` that tells the model what to do. */
  run(input: Input, call: HostCall): Promise<string | ApprovalRecord>
}

export function defineHostTool<Input>(tool: HostTool<Input>): HostTool<unknown> {
  return tool as HostTool<unknown>
}
