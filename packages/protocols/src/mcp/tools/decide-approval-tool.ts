import { CadreError, object, oneOf, optional, string } from '@cadre/core'
import { decideForHost } from '../decide-for-host.ts'
import { defineHostTool, type HostTool } from '../host-tool.ts'

const input = object({
  approval: string('The id of the approval, from list_approvals', { min: 1, max: 200 }),
  decision: oneOf(['approve', 'reject'], "The person's decision on this action"),
  reason: optional(string('The reason, for the agent and the audit log', { max: 2000 })),
})

export function decideApprovalTool(environment: NodeJS.ProcessEnv): HostTool<unknown> {
  return defineHostTool({
    name: 'decide_approval',
    title: 'Decide a pending approval',
    description:
      'Approves or rejects one pending action in a delegated run, once. Works only if the user has permitted this program to decide, in their own configuration. Ask the person first, and show them the whole action.',
    input,
    reads: false,
    async run({ approval, decision, reason }, { delegatedRuns, permissions, client }) {
      if (!permissions.decide) throw notPermitted(approval, client.name)
      return decideForHost(
        { delegatedRuns, environment, approval },
        { decision, by: `${client.name} (MCP)`, ...(reason !== undefined && { reason }) },
      )
    },
  })
}

function notPermitted(approval: string, client: string): CadreError {
  const name = client === '' ? 'this program' : JSON.stringify(client)
  return new CadreError(
    'policy',
    `the user has not permitted ${name} to decide approvals. Show the person the whole action and ask them to run: cadre approve ${approval}, or cadre reject ${approval}. Then call wait_for_run.`,
  )
}
