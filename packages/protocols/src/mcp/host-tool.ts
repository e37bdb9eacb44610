import type { Schema } from '@cadre/core'
import type { ApprovalRecord } from '@cadre/gate'
import type { DelegatedRuns } from './delegated-runs.ts'
import type { HostPermissions } from './host-permissions.ts'

/** The program that calls the server, as it describes itself. */
export interface HostClient {
  readonly name: string
  /** True if it can show a form to its user. */
  readonly elicits: boolean
}

/** One tool call by a host. */
export interface HostCall {
  readonly client: HostClient
  readonly permissions: HostPermissions
  readonly delegatedRuns: DelegatedRuns
  /** The call's `traceparent`, if it is valid. */
  readonly trace?: string
  /** Tells the host that the call is still running. Does nothing if the host did not request progress. */
  progress(message: string): Promise<void>
  /** The user's answers to this call's forms, by approval id. */
  readonly answers: ReadonlyMap<string, FormAnswer>
  readonly signal: AbortSignal
}

/** `none`: the user closed the form, or the host could not show it. */
export interface FormAnswer {
  readonly decision: 'approve' | 'reject' | 'none'
  readonly reason?: string
}

/** One of the server's tools. */
export interface HostTool<Input> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Schema<Input>
  /** True if the tool only reads. Some hosts then do not ask their user. */
  readonly reads: boolean
  /** True if Claude Code should show this tool's description to its model from the start. */
  readonly alwaysLoad?: true
  /** Returns the answer for the model, or an approval to show to the host's user first. Rejects with a `CadreError` that tells the model what to do. */
  run(input: Input, call: HostCall): Promise<string | ApprovalRecord>
}

export function defineHostTool<Input>(tool: HostTool<Input>): HostTool<unknown> {
  return tool as HostTool<unknown>
}
