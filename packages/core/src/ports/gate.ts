import type { WireCall } from './entry.ts'
import type { JsonObject } from './json.ts'
import type { Report } from './report.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Tool } from './tool.ts'

/** Who decided. The order is the order of judging. */
export type DecidedBy = 'tool' | 'agent' | 'role' | 'hook' | 'policy' | 'budget' | 'approval'

export type Risk = 'LOW' | 'MEDIUM' | 'HIGH'

/** One command that was found in a line, as its words, and what was decided about it alone. */
export interface CommandFinding {
  readonly words: readonly string[]
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason: string
}

/** A path that a call is about: as it was written, and where it really leads. */
export interface PathFinding {
  readonly path: string
  readonly real?: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason?: string
}

/** What every verdict may say beyond its answer. Of several verdicts about one call all of it is kept. */
interface Findings {
  readonly by: DecidedBy
  /** Short and stable, for people who look for it: `effects.write`, `allowlist: git push`, `hook: .github/hooks/a.json`. */
  readonly rule: string
  readonly risk?: Risk
  /** Why the risk is what it is, a line each. */
  readonly reasons?: readonly string[]
  readonly commands?: readonly CommandFinding[]
  readonly paths?: readonly PathFinding[]
  /** For the model, together with the outcome of the call. */
  readonly context?: string
  /** Other arguments than the model gave. They are checked against the tool's schema and judged again. */
  readonly input?: JsonObject
  /** The session ends here, and why. */
  readonly stop?: string
  /** This call changes nothing, whatever its tool can do, so it can be repeated. */
  readonly readsOnly?: true
  /** What an approval of the call is about besides its words, such as the content of a script. Another list needs another approval. */
  readonly boundTo?: readonly string[]
}

export type Verdict = Findings &
  (
    | {
        readonly kind: 'allow'
        readonly reason?: string
        /** It was asked about, and somebody who may has answered: a rule alone would not have allowed it. */
        readonly answered?: true
      }
    | {
        readonly kind: 'ask'
        readonly reason: string
        /** Only a person may answer: neither a hook nor what was granted before does. */
        readonly firm?: true
        /**
         * What a person may permit for the rest of the session, by name: a later call that asks for nothing else is then
         * allowed. Absent where every single call has to be seen.
         */
        readonly grants?: readonly string[]
      }
    | { readonly kind: 'deny'; readonly reason: string }
  )

/** A call as the gate sees it: the tool it resolved to and its checked input, never only its spelling. */
export interface JudgedCall {
  readonly call: WireCall
  readonly tool: Tool
  readonly input: unknown
  /** The agent's own tools do not include this one. The session has it as a teammate, to reach its team and nobody else. */
  readonly teamOnly?: true
}

export type Review =
  | { readonly kind: 'accept'; readonly sections?: Report['sections'] }
  /** `sections`: something it must contain is missing. `stop`: whoever watches over the end wants more, at most a few times. */
  | { readonly kind: 'return'; readonly reason: string; readonly by?: 'sections' | 'stop' }

/** The part of judging that is asked last, when the verdict is `ask`: whoever may answer in the place of a person. */
export type Answerer = (
  question: { readonly call: JudgedCall; readonly verdict: Extract<Verdict, { kind: 'ask' }> },
  session: SessionSpec,
  signal: AbortSignal,
) => Verdict | undefined | Promise<Verdict | undefined>

/**
 * Where every call and every report of every session is judged. Must not throw; may answer at once, without a promise.
 * In doubt it denies.
 */
export interface Gate {
  /** True when every rule answers at once: decisions are then recorded together with the reply they are about. */
  readonly immediate: boolean
  /** The input of the verdict, where there is one, has passed the tool's schema and every rule. */
  judge(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | Promise<Verdict>
  /** A call that was approved in an earlier life: what is forbidden by now stays undone. Hooks are not asked again. */
  judgeAgain(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | Promise<Verdict>
  /** The rules that count what was let through already, once more; nothing when there is room. */
  judgeCounts(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | undefined
  review(review: ReviewRequest, session: SessionSpec, signal: AbortSignal): Review | Promise<Review>
}

/** One rule of the gate. `undefined` means that it has nothing to say. */
export interface Rule {
  readonly by: DecidedBy
  readonly name: string
  /** Set when it never answers with a promise. */
  readonly immediate?: boolean
  /** Set when its answer depends on how many calls were let through before: it is asked once more when they are. */
  readonly counts?: true
  judge(
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Verdict | undefined | Promise<Verdict | undefined>
}

export interface ReviewRequest {
  readonly report: Report
  /** How often this session was sent back by a `stop` review since a person last spoke. */
  readonly stops: number
}

/**
 * Judges a report before it is handed back. Must not throw. Must be repeatable: the end, or what the session is sent back with, is
 * recorded after the review, so a report is reviewed again when the process dies in between.
 */
export type Reviewer = (
  review: ReviewRequest,
  session: SessionSpec,
  signal: AbortSignal,
) => Review | Promise<Review>
