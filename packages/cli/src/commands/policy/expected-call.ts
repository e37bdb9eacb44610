import type { JsonObject } from '@cadre/core'
import type { Depth, Explanation } from '@cadre/runtime'

/** The expected decision about a call. Absent parts may be anything. */
export interface ExpectedDecision {
  readonly decision: Explanation['decision']
  readonly by?: string
  /** `*` matches anything. */
  readonly rule?: string
  readonly risk?: string
}

/** One call of a table. */
export interface ExpectedCall {
  readonly line: number
  /** Default: the entry agent. */
  readonly agent?: string
  readonly depth?: Depth
  readonly tool: string
  readonly input: JsonObject
  readonly expected: ExpectedDecision
  /** Why this is expected, shown with a failure. */
  readonly because?: string
}

/** Returns the differences, as parts of a sentence; empty if there are none. */
export function mismatches(expected: ExpectedDecision, got: Explanation): string[] {
  const { decision, by, rule, risk } = expected
  return [
    ...(decision === got.decision ? [] : [`expected ${decision}, got ${got.decision}`]),
    ...(by === undefined || by === got.by ? [] : [`expected by ${by}, got ${got.by}`]),
    ...(rule === undefined || fits(rule, got.rule) ? [] : [`expected the rule ${rule}, got ${got.rule}`]),
    ...(risk === undefined || risk === got.risk
      ? []
      : [`expected the risk ${risk}, got ${got.risk ?? 'none'}`]),
  ]
}

function fits(pattern: string, rule: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(rule)
}
