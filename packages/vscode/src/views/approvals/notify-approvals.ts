import * as vscode from 'vscode'
import { plainMessage } from '../../plain-message.ts'
import { reportError } from '../../register-command.ts'
import type { Services } from '../../services.ts'
import { newApprovalsMessage } from './approval-item.ts'
import { approveAfterReview } from './decide-command.ts'
import type { WorkspaceApprovals } from './workspace-approvals.ts'

/** The minimum time between two notifications, in milliseconds. The badge and the status bar show the rest. */
const pause = 10_000

/** Notifies about an approval that the person does not see in this window: one notification at a time. */
export function notifyOfApprovals(
  services: Services,
  pending: WorkspaceApprovals,
  isViewVisible: () => boolean,
): vscode.Disposable {
  let isShown = false
  let next = 0
  return pending.onDidChange((fresh) => {
    const news = newApprovalsMessage(fresh)
    if (news === undefined || isShown || isViewVisible() || Date.now() < next) return
    isShown = true
    void showNotification(services, news)
      .catch((error) => reportError(services.log, error))
      .finally(() => {
        isShown = false
        next = Date.now() + pause
      })
  })
}

async function showNotification(
  services: Services,
  { message, only }: NonNullable<ReturnType<typeof newApprovalsMessage>>,
): Promise<void> {
  const decide = only?.isDoubt ? 'Report What Happened…' : 'Approve…'
  const offers = only === undefined ? ['Show'] : [decide, 'Show']
  const choice = await vscode.window.showInformationMessage(plainMessage(message), ...offers)
  if (only !== undefined && choice === decide) await approveAfterReview(services, only)
  if (choice === 'Show') await vscode.commands.executeCommand('copilotMultiAgent.showApprovals')
}
