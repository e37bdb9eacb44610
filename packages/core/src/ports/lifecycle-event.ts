import type { OutcomeKind } from './entry.ts'
import type { JudgedCall, Verdict } from './gate.ts'
import type { Notice, Report } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * A point in the life of a session at which code outside of core, such as a hook, can respond. Cadre records the response, as a message, a
 * notice, a part of a result or a stop, but not the moment. If the process dies before the record, the moment occurs again, so handlers
 * must be repeatable:
 *
 * - `session.started`, `person.awaited`: once per life.
 * - `call.starting`: before each attempt of a call that writes or runs programs.
 * - `prompt.given`, `call.settled`, `context.compacting`, `error.occurred`: before the prompt, the result, the summary or the end is
 *   recorded; again if the process dies before that.
 * - `session.ended`: after the end is recorded; never again, and not at all if the process dies in between.
 */
export type LifecycleEvent =
  /** Before the first request to the model after the session was started or resumed. */
  | {
      readonly kind: 'session.started'
      readonly source: 'startup' | 'resume'
      /** Calls in doubt: they have an effect, and were started before the session was resumed, but have no outcome. */
      readonly inDoubt?: readonly string[]
    }
  /** A message of a person: the work of an entry session, or a later message. */
  | { readonly kind: 'prompt.given'; readonly prompt: string }
  /** A call that writes files or runs programs is about to run. Its start is recorded. `readsOnly`: the gate found that it changes nothing. */
  | { readonly kind: 'call.starting'; readonly call: JudgedCall; readonly readsOnly?: true }
  /** A call has run, and its outcome is not recorded yet. `call.input` is the input that the tool received. */
  | {
      readonly kind: 'call.settled'
      readonly call: JudgedCall
      readonly outcome: OutcomeKind
      readonly content: string
    }
  /** Cadre is about to ask a person. */
  | {
      readonly kind: 'person.awaited'
      readonly call: JudgedCall
      readonly verdict: Pick<Verdict, 'by' | 'rule' | 'reason' | 'risk' | 'reasons'>
    }
  | { readonly kind: 'context.compacting' }
  | { readonly kind: 'error.occurred'; readonly code: string; readonly message: string }
  /** The last moment of a session. Responses have no effect. */
  | { readonly kind: 'session.ended'; readonly report: Report }

export interface LifecycleResponse {
  /** Text for the model, added to the result of a call or sent as a message before the next request. */
  readonly context?: string
  /** For a call: replaces the result that the model sees. */
  readonly content?: string
  /** The reason to block. For a prompt: the session does not receive it. For a call: the model sees that something is wrong with the result. */
  readonly blocked?: string
  /** Ends the session, for this reason. */
  readonly stop?: string
  /** Messages to the user. */
  readonly notices?: readonly Notice[]
}

/** Responds to a moment. Must not throw. May answer synchronously. */
export type LifecycleHandler = (
  moment: LifecycleEvent,
  session: SessionSpec,
  signal: AbortSignal,
) => LifecycleResponse | undefined | Promise<LifecycleResponse | undefined>
