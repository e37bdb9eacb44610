import { object } from '@cadre/core'
import { defineHostTool, type HostTool } from '../host-tool.ts'
import { approvalsText } from '../run-text.ts'

const input = object({})

export function listApprovalsTool(): HostTool<unknown> {
  return defineHostTool({
    name: 'list_approvals',
    title: 'List pending approvals',
    description:
      'Lists pending approvals, each with its complete action. Show the whole action to the person.',
    input,
    reads: true,
    async run(_, { delegatedRuns, permissions }) {
      const pending = await delegatedRuns.sessions.engine.approvals.read()
      return approvalsText(pending, { mayDecide: permissions.decide })
    },
  })
}
