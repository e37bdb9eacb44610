import type { HostTool } from './host-tool.ts'
import type { McpHost } from './mcp-host.ts'
import { cancelRunTool } from './tools/cancel-run.ts'
import { createTaskTool } from './tools/create-task-tool.ts'
import { decideApprovalTool } from './tools/decide-approval-tool.ts'
import { delegateWorkTool } from './tools/delegate-work.ts'
import { getResultTool } from './tools/get-result.ts'
import { listAgentsTool } from './tools/list-agents.ts'
import { listApprovalsTool } from './tools/list-approvals.ts'
import { listRunsTool } from './tools/list-runs.ts'
import { listTasksTool } from './tools/list-tasks.ts'
import { waitForRunTool } from './tools/wait-for-run.ts'

/** All of the server's tools, in the order in which hosts list them. */
export function allHostTools(host: McpHost): readonly HostTool<unknown>[] {
  const { environment } = host
  return [
    delegateWorkTool(host),
    waitForRunTool(environment),
    getResultTool(),
    listRunsTool(),
    cancelRunTool(),
    listApprovalsTool(),
    decideApprovalTool(environment.env),
    listAgentsTool(environment, host),
    listTasksTool(),
    createTaskTool(host),
  ]
}
