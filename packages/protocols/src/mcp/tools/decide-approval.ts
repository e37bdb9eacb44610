import { type Answer, CadreError, object, oneOf, optional, string } from '@cadre/core'
import { type ApprovalRecord, answerFor, isApproval, isDoubt, objectionTo, requirePerson } from '@cadre/gate'
import type { Delegations } from '../delegations.ts'
import { defineHostTool, type HostTool } from '../host-tool.ts'

const input = object({
  approval: string('The id of the approval, as list_approvals shows it', { min: 1, max: 200 }),
  decision: oneOf(['approve', 'reject'], 'The decision of the person about this action'),
  reason: optional(string('Why, for the agent and for the audit', { max: 2000 })),
})

export function decideApprovalTool(environment: NodeJS.ProcessEnv): HostTool<unknown> {
  return defineHostTool({
    name: 'decide_approval',
    title: 'Decide a pending approval',
    description:
      'Approves or rejects one pending action of a delegated run, once. Works only if the user has permitted this program to decide, in their own configuration. Ask the person first, and show them the whole action.',
    input,
    reads: false,
    async run({ approval, decision, reason }, { delegations, permissions, client }) {
      if (!permissions.decide) throw notPermitted(approval, client.name)
      return decideForHost(
        { delegations, environment, approval },
        { decision, by: `${client.name} (MCP)`, ...(reason !== undefined && { reason }) },
      )
    },
  })
}

export interface HostDecision {
  readonly delegations: Delegations
  readonly environment: NodeJS.ProcessEnv
  readonly approval: string
}

/** Records the decision of a host, and resumes the run. Rejects if only a person at this machine may decide. */
export async function decideForHost(
  { delegations, environment, approval }: HostDecision,
  wanted: Answer & { readonly decision: 'approve' | 'reject' },
): Promise<string> {
  const { home, sessions } = delegations
  const { approvals } = sessions.engine
  requirePerson(home, environment)
  const record = (await approvals.list({ all: true })).find(({ id }) => id === approval)
  if (record === undefined)
    throw new CadreError(
      'not_found',
      `there is no approval ${JSON.stringify(approval)}. Call list_approvals.`,
    )
  await requireDecidable(record, delegations, wanted.decision)
  const { answer } = await approvals.decide(record, {
    ...wanted,
    decision: answerFor(record, wanted.decision),
  })
  const objection = objectionTo({ ...record, decision: answer }, answerFor(record, wanted.decision))
  if (objection !== undefined) throw new CadreError('usage', `${objection}.`)
  await delegations.resume(record.root)
  const word = isApproval(answer.decision) ? 'Approved' : 'Rejected'
  return `${word} ${record.id}.\nNext: call wait_for_run with run "${record.root}".`
}

async function requireDecidable(
  record: ApprovalRecord,
  { sessions, isDelegated }: Delegations,
  decision: string,
): Promise<void> {
  const byPerson = `Ask the person to decide in a terminal: cadre approve ${record.id}`
  if (!isDelegated(record.root))
    throw new CadreError(
      'policy',
      `a person started run ${record.root}, so a person decides about it. ${byPerson}`,
    )
  const objection = objectionTo(record, decision)
  if (objection !== undefined) throw new CadreError('usage', `${objection}.`)
  if (isDoubt(record))
    throw new CadreError(
      'policy',
      `only a person can tell whether an interrupted call took effect. ${byPerson}`,
    )
  const { entries } = await sessions.read(record.session)
  const isFirm = entries.some(
    (entry) =>
      entry.role === 'event' &&
      entry.type === 'call.held' &&
      entry.call === record.call &&
      entry['firm'] === true,
  )
  if (isFirm && decision === 'approve')
    throw new CadreError('policy', `a rule requires the approval of a person for this action. ${byPerson}`)
}

function notPermitted(approval: string, client: string): CadreError {
  const name = client === '' ? 'this program' : JSON.stringify(client)
  return new CadreError(
    'policy',
    `the user has not permitted ${name} to decide approvals. Show the person the whole action and ask them to run: cadre approve ${approval}, or cadre reject ${approval}. Then call wait_for_run.`,
  )
}
