import type * as vscode from 'vscode'
import { codeSpan, escapeMarkdown } from '../markdown.ts'
import type { Turn } from './turn.ts'

const maxShown = 10

/** `/status`: shows running sessions, pending approvals, recent results, and problems with agents. */
export async function showStatus({ chat, use }: Turn): Promise<vscode.ChatResult> {
  return use(async (runtime) => {
    const sessions = (await runtime.list()).filter(({ parent }) => parent === undefined)
    const pending = await runtime.engine.approvals.read()
    const running = sessions.filter(({ id }) => runtime.owner(id) !== undefined)
    const rest = sessions.filter((session) => !running.includes(session))
    const rows = [...running, ...rest].slice(0, maxShown).map((session) => {
      const { id, agent, status, outcome, updated } = session
      const state = running.includes(session) ? 'running' : (outcome ?? labelOf(status))
      return `| ${codeSpan(id)} | ${escapeMarkdown(agent)} | ${state} | ${escapeMarkdown(updated.replace('T', ' ').slice(0, 19))} |`
    })
    chat.tell(
      rows.length === 0
        ? 'No agent has worked in this folder yet.'
        : ['| Session | Agent | State | Updated |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    )
    const faults = runtime.agents.loaded().diagnostics.filter(({ severity }) => severity !== 'info')
    if (faults.length > 0)
      chat.tell(
        [
          'Problems with agents:',
          ...faults.map(({ path, message }) => `- ${escapeMarkdown(`${path}: ${message}`)}`),
        ].join('\n'),
      )
    chat.tell(
      pending.length === 0
        ? 'No pending approvals.'
        : `${pending.length} pending ${pending.length === 1 ? 'approval' : 'approvals'}.`,
    )
    if (pending.length > 0) chat.button('Show Approvals', 'copilotMultiAgent.showApprovals', {})
    return {}
  })
}

function labelOf(status: string): string {
  return status === 'active' ? 'interrupted' : status
}
