import * as vscode from 'vscode'
import { registerCommand } from '../register-command.ts'
import type { Services } from '../services.ts'
import { createApprovalsView } from './approvals/approvals-view.ts'
import { createSessionsView } from './sessions/sessions-view.ts'
import { createTasksView } from './tasks/tasks-view.ts'

/** The views of sessions, approvals and tasks, their commands, and the status bar item. */
export function registerViews(_context: vscode.ExtensionContext, services: Services): vscode.Disposable {
  const untrusted = (folders: number) =>
    void vscode.commands.executeCommand('setContext', 'copilotMultiAgent.homeUntrusted', folders > 0)
  const sessions = createSessionsView(services, untrusted)
  const approvals = createApprovalsView(services)
  const tasks = createTasksView(services, untrusted)
  const refresh = registerCommand(services.log, 'refreshViews', () => {
    for (const view of [sessions, approvals, tasks]) view.refresh()
  })
  return vscode.Disposable.from(sessions, approvals, tasks, refresh)
}
