import type { WireCall } from './entry.ts'
import type { Report } from './report.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Tool } from './tool.ts'

/** Who decided. The order is the order of judging. */
export type DecidedBy = 'tool' | 'agent' | 'role' | 'hook' | 'policy' | 'budget' | 'approval'

export type Verdict =
  | { readonly kind: 'allow'; readonly by: DecidedBy; readonly rule: string }
  | {
      readonly kind: 'ask'
      readonly by: DecidedBy
      readonly rule: string
      readonly reason: string
      readonly risk?: 'LOW' | 'MEDIUM' | 'HIGH'
    }
  | { readonly kind: 'deny'; readonly by: DecidedBy; readonly rule: string; readonly reason: string }

/** A call as the gate sees it: the tool it resolved to and its checked input, never only its spelling. */
export interface JudgedCall {
  readonly call: WireCall
  readonly tool: Tool
  readonly input: unknown
}

export type Review =
  | { readonly kind: 'accept'; readonly sections?: Report['sections'] }
  | { readonly kind: 'return'; readonly reason: string }

/**
 * Where every call and every report of every session is judged. Must not throw; may answer at once, without a promise.
 * In doubt it denies.
 */
export interface Gate {
  /** True when every rule answers at once: decisions are then recorded together with the reply they are about. */
  readonly immediate: boolean
  judge(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | Promise<Verdict>
  review(report: Report, session: SessionSpec, signal: AbortSignal): Review | Promise<Review>
}

/** One rule of the gate. `undefined` means that it has nothing to say. */
export interface Rule {
  readonly by: DecidedBy
  readonly name: string
  /** Set when it never answers with a promise. */
  readonly immediate?: boolean
  judge(
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Verdict | undefined | Promise<Verdict | undefined>
}

/** Judges a report before it is handed back. Must not throw. */
export type Reviewer = (report: Report, session: SessionSpec, signal: AbortSignal) => Review | Promise<Review>
