import type {
  ApprovalRequirement,
  CommandFinding,
  DecidedBy,
  JsonObject,
  PathFinding,
  Risk,
  Verdict,
} from '@cadre/core'

/** The decision about a call: the format of `policy explain --json`. */
export interface Explanation {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly by: DecidedBy
  readonly rule: string
  readonly reason: string
  readonly risk?: Risk
  readonly reasons?: readonly string[]
  readonly commands?: readonly CommandFinding[]
  readonly paths?: readonly PathFinding[]
  /** How many people must approve it, and who counts, if a policy says so. */
  readonly approvals?: ApprovalRequirement
  /** Hooks that would also run. They were not run here, so they may still deny, ask or change the arguments. */
  readonly hooks?: readonly string[]
  /** The arguments it would run with, if a rule changes them. */
  readonly input?: JsonObject
  /** The agents from the entry session down to the one that makes the call. */
  readonly chain: readonly string[]
}

/** Converts a verdict of the gate. */
export function explanationOf(
  verdict: Verdict,
  chain: readonly string[],
  hooks: readonly string[] = [],
): Explanation {
  const { kind: decision, by, rule, reason = 'no rule denies it or requires an approval' } = verdict
  const { risk, reasons, commands, paths, input } = verdict
  const approvals = verdict.kind === 'ask' ? verdict.approvals : undefined
  return {
    decision,
    by,
    rule,
    reason,
    ...(risk && { risk }),
    ...(reasons && { reasons }),
    ...(commands && { commands }),
    ...(paths && { paths }),
    ...(approvals && { approvals }),
    ...(hooks.length > 0 && { hooks }),
    ...(input && { input }),
    chain,
  }
}
