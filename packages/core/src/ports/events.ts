import type { OutcomeKind } from './entry.ts'
import type { DecidedBy, Risk } from './gate.ts'
import type { Notice, Report, SpentBudget, Usage } from './report.ts'
import type { Vote } from './votes.ts'

interface Stamp {
  /** Increases within the process. Only transient events may be dropped. */
  readonly seq: number
  readonly at: string
  readonly session: string
}

/** What is known of a session that is resumed. */
export interface EarlierRuns {
  /** How many times the session has ended. */
  readonly ends: number
  /** Set if it was interrupted: when the work that it continues now began, and the usage of its replies since then. */
  readonly since?: string
  readonly usage?: Usage
}

/**
 * The events that user interfaces receive, named `noun.pastVerb`. `text.added` and `call.progressed` are transient: they are not recorded,
 * and may be merged or dropped.
 */
export type EventBody =
  | {
      readonly type: 'session.started'
      readonly agent: string
      readonly model: string
      readonly work: string
      readonly root: string
      readonly depth: number
      readonly parent?: { readonly session: string; readonly call: string }
      /** For a teammate: its team, and its name in the team. */
      readonly team?: { readonly name: string; readonly member: string }
      readonly resumed?: boolean
      /** For a resumed session: the new message. */
      readonly message?: string
      /** For a resumed session: calls of earlier replies that have no result yet, and when they were started, if they were. */
      readonly open?: readonly {
        readonly id: string
        readonly name: string
        readonly input: string
        /** The round of the reply. */
        readonly round?: number
        readonly startedAt?: string
      }[]
      /** For a resumed session: what happened before. */
      readonly earlier?: EarlierRuns
      /** See `SessionSpec`. */
      readonly trace?: string
    }
  | { readonly type: 'session.queued' }
  | { readonly type: 'session.unqueued' }
  | { readonly type: 'round.started'; readonly round: number }
  | { readonly type: 'text.added'; readonly round: number; readonly text: string }
  | { readonly type: 'reply.delayed'; readonly round: number; readonly reason: string; readonly ms?: number }
  | {
      readonly type: 'reply.received'
      readonly round: number
      readonly text: string
      readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
      readonly usage?: Usage
      /** Under a budget for requests: what the budget has counted for this session so far. */
      readonly spent?: SpentBudget
      readonly model?: string
      /** Set if the reply is incomplete: it reached the length limit or was filtered. */
      readonly stop?: 'length' | 'filtered'
    }
  /** The decision of the gate, before the call runs. `input` is the input that the tool would receive. */
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
  /** What a running call is doing now, in the words of its tool. */
  | { readonly type: 'call.progressed'; readonly call: string; readonly text: string }
  | {
      readonly type: 'call.settled'
      readonly call: string
      readonly outcome: OutcomeKind
      readonly content: string
      readonly code?: string
      /** Set for a delegation that was started in the background. Its result follows later. */
      readonly background?: true
    }
  | {
      readonly type: 'message.added'
      readonly from: string
      readonly text: string
      /** Why Cadre wrote the message. `sections`: it returns the report of this round. */
      readonly nudge?: 'report' | 'empty' | 'sections' | 'schema' | 'truncated' | 'stop'
      readonly round?: number
    }
  | {
      readonly type: 'person.asked'
      readonly question: string
      readonly call: string
      readonly text: string
      readonly choices: readonly string[]
      /** When it was asked first, if that was before the session was resumed. */
      readonly since?: string
    }
  | {
      readonly type: 'person.answered'
      readonly question: string
      readonly decision: string
      readonly by?: string
      readonly reason?: string
      /** Who voted, if several people had to. */
      readonly votes?: readonly Vote[]
      /** When it was answered, if that was before the session was resumed. */
      readonly answeredAt?: string
    }
  | { readonly type: 'context.compacted'; readonly summary: string; readonly before: number }
  /** `rounds`: how many rounds the edited record has. Later rounds were removed. */
  | { readonly type: 'journal.edited'; readonly summary: string; readonly rounds?: number }
  | { readonly type: 'notice.added'; readonly notice: Notice }
  | { readonly type: 'session.suspended'; readonly questions: readonly string[] }
  /** `spent`: see `reply.received`. */
  | { readonly type: 'session.ended'; readonly report: Report; readonly spent?: SpentBudget }

export type CadreEvent = EventBody & Stamp
