import * as vscode from 'vscode'
import type { Services } from '../../services.ts'
import { tellFault } from '../commands.ts'
import { plainMessage } from '../plain-message.ts'
import { type ApprovalItem, countText } from './approval-item.ts'
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
    const [first, second] = fresh.filter(({ isAskedHere }) => !isAskedHere)
    if (first === undefined || isShown || isViewVisible() || Date.now() < next) return
    isShown = true
    void tell(services, first, second === undefined ? 1 : fresh.length)
      .catch((error) => tellFault(services.log, error))
      .finally(() => {
        isShown = false
        next = Date.now() + pause
      })
  })
}

async function tell(services: Services, item: ApprovalItem, count: number): Promise<void> {
  const risk = item.risk === undefined ? '' : ` (${item.risk.toLowerCase()} risk)`
  const message =
    count === 1 ? `${item.agent} waits for your approval${risk}.` : `${countText(count)} pending.`
  const decide = 'Approve…'
  const offers = count === 1 ? [decide, 'Show'] : ['Show']
  const choice = await vscode.window.showInformationMessage(plainMessage(message), ...offers)
  if (choice === decide) await approveLooking(services, item)
  if (choice === 'Show') await vscode.commands.executeCommand('copilotMultiAgent.showApprovals')
}
