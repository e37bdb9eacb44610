import type { OutcomeKind } from './entry.ts'
import type { JudgedCall, Verdict } from './gate.ts'
import type { Notice, Report } from './report.ts'
import type { SessionSpec } from './session-spec.ts'

/** What happens to a session, where somebody outside may have something to say to it. */
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
