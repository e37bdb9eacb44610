import type { OutcomeKind } from './entry.ts'
import type { JudgedCall, Verdict } from './gate.ts'
import type { Notice, Report } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/**
 * What happens to a session, where somebody outside may have something to say to it. A moment itself is not recorded; what is said to it
 * is: as a message, a notice, part of a result, or a stop. So a moment is told again when the process dies before that record. Whoever
 * attends must be repeatable:
 *
 * - `session.started`, `person.awaited`: once per life.
 * - `prompt.given`, `call.settled`, `context.compacting`, `error.occurred`: before the prompt, the result, the summary or the end is
 *   recorded; again if the process dies before that.
 * - `session.ended`: after the end is recorded; never again, and not at all if the process dies in between.
 */
export type Moment =
  /** Before its first question in this life. */
  | {
      readonly kind: 'session.started'
      readonly source: 'startup' | 'resume'
      /** Calls with an effect that an earlier life has begun and has no outcome of. */
      readonly inDoubt?: readonly string[]
    }
  /** A person has said something: the work of an entry session, or what follows later. */
  | { readonly kind: 'prompt.given'; readonly prompt: string }
  /** A call that ran has an outcome; it is not recorded yet. `input` of the call is what was run. */
  | {
      readonly kind: 'call.settled'
      readonly call: JudgedCall
      readonly outcome: OutcomeKind
      readonly content: string
    }
  /** A person is about to be asked. */
  | {
      readonly kind: 'person.awaited'
      readonly call: JudgedCall
      readonly verdict: Pick<Verdict, 'by' | 'rule' | 'reason' | 'risk' | 'reasons'>
    }
  | { readonly kind: 'context.compacting' }
  | { readonly kind: 'error.occurred'; readonly code: string; readonly message: string }
  /** Its last moment; nothing that is said here changes it. */
  | { readonly kind: 'session.ended'; readonly report: Report }

export interface Attention {
  /** For the model: beside the result of a call, or as a message before the next question. */
  readonly context?: string
  /** Of a call: shown to the model in the place of what the tool gave. */
  readonly content?: string
  /** Of a prompt: it is not taken. Of a call: the model is told that something is wrong with the result. */
  readonly blocked?: string
  /** The session ends here, and why. */
  readonly stop?: string
  /** For the person. */
  readonly notices?: readonly Notice[]
}

/** Must not throw; may answer at once. */
export type Attend = (
  moment: Moment,
  session: SessionSpec,
  signal: AbortSignal,
) => Attention | undefined | Promise<Attention | undefined>
