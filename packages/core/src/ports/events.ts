import type { OutcomeKind } from './entry.ts'
import type { DecidedBy, Risk } from './gate.ts'
import type { Notice, Report, Usage } from './report.ts'

interface Stamp {
  /** Counts up within the process; structural events are never dropped. */
  readonly seq: number
  readonly at: string
  readonly session: string
}

/** All that a surface can learn. Named `noun.pastVerb`. `text.added` is transient: it may be merged or dropped. */
export type EventBody =
  | {
      readonly type: 'session.started'
      readonly agent: string
      readonly model: string
      readonly work: string
      readonly root: string
      readonly depth: number
      readonly parent?: { readonly session: string; readonly call: string }
      /** Of a teammate: its team, and its name there. */
      readonly team?: { readonly name: string; readonly member: string }
      readonly resumed?: boolean
      /** Of one that goes on: what was said to it now. */
      readonly message?: string
      /** Of one that goes on: calls of earlier replies that have no result yet. */
      readonly open?: readonly { readonly id: string; readonly name: string; readonly input: string }[]
    }
  | { readonly type: 'session.queued' }
  | { readonly type: 'session.unqueued' }
  | { readonly type: 'round.started'; readonly round: number }
  | { readonly type: 'text.added'; readonly round: number; readonly text: string }
  | { readonly type: 'reply.delayed'; readonly round: number; readonly reason: string; readonly ms: number }
  | {
      readonly type: 'reply.received'
      readonly round: number
      readonly text: string
      readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
      readonly usage?: Usage
      readonly model?: string
    }
  /** What the gate said of a call, before anything of it happens. `input` is what would be run. */
  | {
      readonly type: 'call.judged'
      readonly call: string
      readonly agent: string
      readonly tool: string
      readonly input: string
      readonly decision: 'allow' | 'ask' | 'deny'
      readonly by: DecidedBy
      readonly rule?: string
      readonly reason?: string
      readonly risk?: Risk
      readonly reasons?: readonly string[]
    }
  | { readonly type: 'call.started'; readonly call: string; readonly tool: string; readonly child?: string }
  | {
      readonly type: 'call.settled'
      readonly call: string
      readonly outcome: OutcomeKind
      readonly content: string
      readonly code?: string
      /** A delegation that was begun, and whose result follows later. */
      readonly background?: true
    }
  | {
      readonly type: 'message.added'
      readonly from: string
      readonly text: string
      /** Why cadre wrote it; `sections`: the report of this round is sent back. */
      readonly nudge?: 'report' | 'empty' | 'sections' | 'truncated' | 'stop'
      readonly round?: number
    }
  | {
      readonly type: 'person.asked'
      readonly question: string
      readonly call: string
      readonly text: string
      readonly choices: readonly string[]
    }
  | {
      readonly type: 'person.answered'
      readonly question: string
      readonly decision: string
      readonly by?: string
      readonly reason?: string
    }
  | { readonly type: 'context.compacted'; readonly summary: string; readonly before: number }
  /** `rounds`: how many are left in the record; what was beyond them is gone. */
  | { readonly type: 'journal.edited'; readonly summary: string; readonly rounds?: number }
  | { readonly type: 'notice.added'; readonly notice: Notice }
  | { readonly type: 'session.suspended'; readonly questions: readonly string[] }
  | { readonly type: 'session.ended'; readonly report: Report }

export type CadreEvent = EventBody & Stamp
