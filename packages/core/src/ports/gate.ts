import type { WireCall } from './entry.ts'
import type { JsonObject } from './json.ts'
import type { Report } from './report.ts'
import type { RuleName } from './rule-names.ts'
import type { SessionSpec } from './session-spec.ts'
import type { Tool } from './tool.ts'
import type { ApprovalRequirement } from './votes.ts'

/** What made a decision, in the order in which Cadre evaluates rules. */
export type DecidedBy = 'tool' | 'agent' | 'role' | 'hook' | 'policy' | 'budget' | 'approval'

export type Risk = 'LOW' | 'MEDIUM' | 'HIGH'

/** A command in a command line, as a list of words, and the decision about this command alone. */
export interface CommandFinding {
  readonly words: readonly string[]
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason: string
}

/** A path that a call uses, as written and with all links resolved. */
export interface PathFinding {
  readonly path: string
  readonly real?: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason?: string
}

/** Details of a verdict. If several rules judge a call, Cadre keeps the details of all of them. */
interface Findings<Name extends string> {
  readonly by: DecidedBy
  /** A short, stable name that people can search for: `effects.write`, `allowlist: git push`, `hook: .github/hooks/a.json`. */
  readonly rule: Name
  readonly risk?: Risk
  /** The reasons for the risk, one line each. */
  readonly reasons?: readonly string[]
  readonly commands?: readonly CommandFinding[]
  readonly paths?: readonly PathFinding[]
  /** Text that the model receives together with the outcome of the call. */
  readonly context?: string
  /** Replaces the arguments of the model. Cadre checks them against the tool's schema and judges them again. */
  readonly input?: JsonObject
  /** Ends the session, for this reason. */
  readonly stop?: string
  /** Set if this call changes nothing, even if its tool could, so that Cadre can repeat it. */
  readonly readsOnly?: true
  /** What an approval of this call covers besides its text, such as the content of a script. If the list changes, the call needs a new approval. */
  readonly boundTo?: readonly string[]
}

/** `Name`: the compiler accepts only the names of Cadre's own rules, unless it is set. */
export type Verdict<Name extends string = RuleName> = Findings<Name> &
  (
    | {
        readonly kind: 'allow'
        readonly reason?: string
        /** Set if the call needed approval and was approved. A rule alone would not have allowed it. */
        readonly answered?: true
      }
    | {
        readonly kind: 'ask'
        readonly reason: string
        /** Set if only a person may approve the call, not a hook or an earlier grant. */
        readonly firm?: true
        /**
         * Names of what a person can allow for the rest of the session. Later calls that need only these are then allowed. Absent
         * if every call needs its own approval.
         */
        readonly grants?: readonly string[]
        /** Set if a policy says how many people must approve, and who counts. The verdict is then firm. */
        readonly approvals?: ApprovalRequirement
      }
    | { readonly kind: 'deny'; readonly reason: string }
  )

/** A call as the gate sees it: the tool that the name resolved to, and the validated input. */
export interface JudgedCall {
  readonly call: WireCall
  readonly tool: Tool
  readonly input: unknown
  /** Set if the agent's tools do not include this one, and the session has it only as a teammate, to write to its team. */
  readonly teamOnly?: true
}

export type Review =
  | {
      readonly kind: 'accept'
      readonly sections?: Report['sections']
      readonly output?: Report['output']
    }
  /** `sections`: required sections are missing. `schema`: it is not the JSON that was asked for. `stop`: a reviewer, such as a stop hook, wants the session to continue; limited by `nudgeLimits`. */
  | { readonly kind: 'return'; readonly reason: string; readonly by?: 'sections' | 'schema' | 'stop' }

/** Answers a call that needs approval in place of a person. Called after all rules, if the verdict is `ask`. */
export type Answerer<Name extends string = RuleName> = (
  question: { readonly call: JudgedCall; readonly verdict: Extract<Verdict, { kind: 'ask' }> },
  session: SessionSpec,
  signal: AbortSignal,
) => Verdict<Name> | undefined | Promise<Verdict<Name> | undefined>

/**
 * Raises what an approval needs: returns the verdict with `approvals`, or a denial if nobody could approve. Called when all rules have
 * judged, before any answerer, and only for a call that needs approval. Must answer immediately. If it throws, the call is denied.
 */
export type RequireApprovals = (
  question: { readonly call: JudgedCall; readonly verdict: Extract<Verdict, { kind: 'ask' }> },
  session: SessionSpec,
) => Extract<Verdict, { kind: 'ask' | 'deny' }>

/**
 * Judges every call and every report of every session. Must not throw. May answer synchronously. Must deny a call if it cannot
 * decide.
 */
export interface Gate {
  /** True if all rules answer synchronously. Cadre then records decisions together with the reply that they are about. */
  readonly immediate: boolean
  /** Judges a call. If the verdict has an `input`, it has passed the tool's schema and every rule. */
  judge(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | Promise<Verdict>
  /** Judges a call again that was allowed or approved earlier, because rules may have changed since. Does not run hooks again. */
  judgeAgain(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | Promise<Verdict>
  /** Evaluates the rules with `counts` again, because other calls may have been allowed since. Returns nothing if no rule objects. */
  judgeCounts(call: JudgedCall, session: SessionSpec, signal: AbortSignal): Verdict | undefined
  review(review: ReviewRequest, session: SessionSpec, signal: AbortSignal): Review | Promise<Review>
}

/** A rule of the gate. It returns `undefined` if it does not apply to a call. `Rule<string>`: a rule that is not Cadre's own. */
export interface Rule<Name extends string = RuleName> {
  readonly by: DecidedBy
  readonly name: Name
  /** Set if the rule never returns a promise. */
  readonly immediate?: boolean
  /** Set if the answer depends on how many calls were allowed before. Cadre then evaluates the rule again before it records the decision. */
  readonly counts?: true
  judge(
    call: JudgedCall,
    session: SessionSpec,
    signal: AbortSignal,
  ): Verdict<Name> | undefined | Promise<Verdict<Name> | undefined>
}

export interface ReviewRequest {
  readonly report: Report
  /** How many times a `stop` review has returned the report since the last message of a person. */
  readonly stops: number
}

/**
 * Judges a report before the session ends. Must not throw. Must be repeatable: Cadre records the result after the review, so it reviews
 * the report again if the process dies in between.
 */
export type Reviewer = (
  review: ReviewRequest,
  session: SessionSpec,
  signal: AbortSignal,
) => Review | Promise<Review>
