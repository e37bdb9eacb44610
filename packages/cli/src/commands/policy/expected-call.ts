import type { JsonObject } from '@cadre/core'
import type { Depth } from './depth.ts'
import type { Explanation } from './explanation.ts'

/** What is to be decided about a call. What is absent may be anything. */
export interface Expected {
  readonly decision: Explanation['decision']
  readonly by?: string
  /** With `*` for anything. */
  readonly rule?: string
  readonly risk?: string
}

/** One call of a table. */
export interface ExpectedCall {
  readonly line: number
  /** Absent: the agent that a run starts with. */
  readonly agent?: string
  readonly depth?: Depth
  readonly tool: string
  readonly input: JsonObject
  readonly expected: Expected
  /** Why it is to be so, for whoever reads that it is not. */
  readonly because?: string
}

/** What is not as it was expected, a piece of a sentence each; empty when everything is. */
export function differences(expected: Expected, got: Explanation): string[] {
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
