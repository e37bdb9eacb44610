import type { DecisionRequest, DecisionResult } from '@cadre/api'
import { type ApprovalRecord, objectionTo, planRule, type RulePlan } from '@cadre/gate'
import { createTrust, isUnsandboxedCommandRunning } from '@cadre/home'
import { userPaths } from '@cadre/runtime'
import type { ApiContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import { HttpProblem } from '../problem.ts'
import { voteView } from './approval-view.ts'

/**
 * Records a logged-in person's decision.
 *
 * 1. Rejects decisions while a command is running without a sandbox: it could have the person's credential, or could have changed the page.
 * 2. Accepts a decision only if the person saw exactly the action that would run.
 * 3. Takes the person's name from the login.
 */
export async function decideApproval(
  record: ApprovalRecord,
  { decision, action, reason, for: reach = 'once' }: DecisionRequest,
  caller: Caller,
  context: ApiContext,
): Promise<DecisionResult> {
  const { home, approvals } = context
  if (isUnsandboxedCommandRunning(home))
    throw new HttpProblem(
      423,
      'A command is running without a sandbox and could have sent this decision. Retry when it has ended.',
      { code: 'owned' },
    )
  if (action !== record.action)
    throw new HttpProblem(409, 'The action has changed since you read it. Reload the approval.')
  const wanted = reach === 'session' && decision === 'approve' ? 'approve-session' : decision
  if (!record.choices.includes(wanted))
    throw new HttpProblem(
      400,
      `"${wanted}" is not possible for ${record.id}. Possible: ${record.choices.join(', ')}.`,
      { code: 'usage' },
    )
  rejectDecided(record, wanted)
  if (reach === 'rule' && record.need !== undefined)
    throw new HttpProblem(400, `${record.id} needs several people, so no rule can approve it.`, {
      code: 'usage',
    })
  const rule = reach === 'rule' ? planFor(record, decision, context) : undefined
  const text = reason?.trim()
  const given = { decision: wanted, by: caller.by, ...(text && { reason: text }) }
  const { kind, answer, record: now } = await approvals.decide(record, given, caller)
  const isVote = now.need !== undefined && kind !== 'recorded'
  if (!isVote) rejectDecided({ ...record, decision: answer }, wanted)
  // Only after the decision: an untrusted home rejects the decision, and must not get a rule either.
  await rule?.write()
  return {
    recorded: kind !== 'written',
    decided: !isVote,
    decision: answer.decision,
    by: answer.by ?? caller.by,
    votes: now.votes.map(voteView),
  }
}

function rejectDecided(record: Parameters<typeof objectionTo>[0], wanted: string): void {
  const objection = objectionTo(record, wanted)
  if (objection !== undefined) throw new HttpProblem(409, `${objection}.`)
}

/** The rules are the approval's grants. The page shows them before the person confirms. */
function planFor(
  { id, status, grants }: ApprovalRecord,
  decision: string,
  { home, environment }: ApiContext,
): Extract<RulePlan, { kind: 'ready' }> {
  if (decision !== 'approve' || status !== 'pending')
    throw new HttpProblem(400, `A rule can only be added when you approve ${id}.`, { code: 'usage' })
  const plan = planRule(home, grants, createTrust({ file: userPaths(environment.env).trust }))
  if (plan.kind === 'refused') throw new HttpProblem(409, `${plan.reason}.`)
  return plan
}
