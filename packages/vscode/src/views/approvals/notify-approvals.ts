import * as vscode from 'vscode'
import { tellFault } from '../../command.ts'
import { plainMessage } from '../../plain-message.ts'
import type { Services } from '../../services.ts'
import { newsOf } from './approval-item.ts'
import { approveLooking } from './decide-command.ts'
import type { PendingApprovals } from './pending-approvals.ts'

/** Milliseconds between two notifications, at least. The badge and the status bar show the rest. */
const pause = 10_000

/** Tells of an approval that arrives where nobody of this window looks: one notification at a time. */
export function notifyOfApprovals(
  services: Services,
  pending: PendingApprovals,
  isViewVisible: () => boolean,
): vscode.Disposable {
  let isShown = false
  let next = 0
  return pending.onDidChange((fresh) => {
    const news = newsOf(fresh)
    if (news === undefined || isShown || isViewVisible() || Date.now() < next) return
    isShown = true
    void tell(services, news)
      .catch((error) => tellFault(services.log, error))
      .finally(() => {
        isShown = false
        next = Date.now() + pause
      })
  })
}

async function tell(
  services: Services,
  { message, only }: NonNullable<ReturnType<typeof newsOf>>,
): Promise<void> {
  const decide = only?.isDoubt ? 'Report What Happened…' : 'Approve…'
  const offers = only === undefined ? ['Show'] : [decide, 'Show']
  const choice = await vscode.window.showInformationMessage(plainMessage(message), ...offers)
  if (only !== undefined && choice === decide) await approveLooking(services, only)
  if (choice === 'Show') await vscode.commands.executeCommand('copilotMultiAgent.showApprovals')
}
