import type { JudgedCall, RequireApprovals, Risk, SessionSpec } from '@cadre/core'
import { type ApprovalRule, type Policy, strictestRequirement } from '@cadre/home'
import { commandWords } from '../effects/command-words.ts'
import { mayHidePaths, pathsNamedByCall } from '../effects/create-path-rule.ts'
import { createDeniedPaths, type DeniedPathsOptions } from '../effects/denied-paths.ts'

export interface RequireApprovalsOptions extends Pick<DeniedPathsOptions, 'places' | 'userHome'> {
  readonly policy: Pick<Policy, 'approvals'>
}

const risks: readonly Risk[] = ['LOW', 'MEDIUM', 'HIGH']

/**
 * Applies the policies' `approvals` rules to calls that need approval. The strictest of all matching rules applies, and only people can satisfy
 * it, not hooks or earlier grants. Returns `undefined` if no policy has such a rule.
 */
export function createRequireApprovals({
  policy,
  ...options
}: RequireApprovalsOptions): RequireApprovals | undefined {
  const { approvals } = policy
  if (approvals.length === 0) return undefined
  const matchesPath = pathMatcher(approvals, options)
  return ({ call, verdict }, session) => {
    const matching = approvals.filter(
      ({ effect, risk, path }, index) =>
        (effect === undefined || effect === call.tool.effect) &&
        (risk === undefined || isAtLeast(verdict.risk, risk)) &&
        (path === undefined || matchesPath(index, call, session)),
    )
    const need = strictestRequirement(matching)
    if (need === undefined) return verdict
    if (need.roles.length > 0) return { ...verdict, firm: true, approvals: need }
    const places = [...new Set(matching.map(({ place }) => place))].join(', ')
    const reason = `nobody can approve this call: the approvals rules that apply to it have no role in common (${places})`
    const { firm: _, grants: __, ...rest } = verdict
    return { ...rest, kind: 'deny', by: 'policy', rule: 'approvals', reason }
  }
}

/** A call whose risk is unknown matches every risk. */
function isAtLeast(risk: Risk | undefined, least: Risk): boolean {
  return risk === undefined || risks.indexOf(risk) >= risks.indexOf(least)
}

/** Matches paths like the rules for single paths: as written, after following links, and for every word in a command. */
function pathMatcher(
  rules: readonly ApprovalRule[],
  options: Omit<RequireApprovalsOptions, 'policy'>,
): (index: number, call: JudgedCall, session: SessionSpec) => boolean {
  const none = { read: [], write: [] }
  const patterns = rules.map(
    ({ path }, index) =>
      path !== undefined &&
      createDeniedPaths({
        ...options,
        policy: { paths: { deny: none, ask: none }, decidedBy: new Map() },
        more: [{ decision: 'ask', use: 'read', key: `approvals.${index}`, rule: 'approvals', text: path }],
      }),
  )
  return (index, call, { workspace }) => {
    const pattern = patterns[index]
    if (!pattern) return true
    if (call.tool.commands !== undefined)
      return commandWords(call, workspace).some(({ path, base }) =>
        pattern.find({ path, workspace, use: 'read', base }).some(({ match }) => match === 'within'),
      )
    if (mayHidePaths(call)) return true
    return pathsNamedByCall(call.tool, call.input).some(
      (path) => pattern.find({ path, workspace, use: 'read' }).length > 0,
    )
  }
}
