import * as vscode from 'vscode'
import { registerCommand } from '../../register-command.ts'
import type { Services } from '../../services.ts'
import { questionOf } from '../targets.ts'
import {
  type ApprovalItem,
  approvalContext,
  approvalDescription,
  countText,
  type QuestionTarget,
} from './approval-item.ts'
import { answerInterruptedCall, approve, approveForSession, rejectWithReason } from './decide-command.ts'
import { notifyOfApprovals } from './notify-approvals.ts'
import { createApprovalDocuments } from './show-approval.ts'
import { followApprovals } from './workspace-approvals.ts'

/** Pending decisions: the view, its badge, the status bar item, notifications, and the commands that decide. */
export function createApprovalsView(services: Services): vscode.Disposable & { refresh(): void } {
  const { log } = services
  const pending = followApprovals(services)
  const documents = createApprovalDocuments(services)
  const changed = new vscode.EventEmitter<undefined>()
  const view = vscode.window.createTreeView<ApprovalItem>('copilotMultiAgent.approvals', {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: (item) => (item === undefined ? [...pending.items] : []),
      getTreeItem: treeItemOf,
    },
  })
  const status = vscode.window.createStatusBarItem(
    'copilotMultiAgent.approvals',
    vscode.StatusBarAlignment.Left,
  )
  status.name = 'Approvals'
  status.command = 'copilotMultiAgent.showApprovals'
  const show = () => {
    const { length } = pending.items
    changed.fire(undefined)
    view.badge = length === 0 ? undefined : { value: length, tooltip: `${countText(length)} pending` }
    if (length === 0) return status.hide()
    status.text = `$(bell-dot) ${countText(length)}`
    status.tooltip = `${countText(length)} pending`
    status.show()
  }
  const decides = (name: string, work: (target: QuestionTarget, argument: unknown) => unknown) =>
    registerCommand(log, name, async (argument) => {
      const target = questionOf(argument)
      if (target === undefined) throw new Error('This is not an approval. Choose one in the Approvals view.')
      await work(target, argument)
      pending.refresh()
    })
  // The chat shows the whole action next to its buttons; an item of the view does not.
  const itemOf = (argument: unknown) =>
    pending.items.find(({ id }) => id === (argument as Partial<ApprovalItem>).id)
  const subscriptions = [
    view,
    status,
    changed,
    documents,
    pending,
    pending.onDidChange(show),
    notifyOfApprovals(services, pending, () => view.visible),
    decides('approve', (target, argument) => approve(services, target, itemOf(argument))),
    decides('approveSession', (target, argument) => approveForSession(services, target, itemOf(argument))),
    decides('reject', (target) => rejectWithReason(services, target)),
    decides('answerInterrupted', (target) => answerInterruptedCall(services, target)),
    decides('showApproval', (target) => documents.show(target)),
    registerCommand(log, 'showApprovals', () =>
      vscode.commands.executeCommand('copilotMultiAgent.approvals.focus'),
    ),
  ]
  return {
    refresh: () => pending.refresh(true),
    dispose() {
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

function treeItemOf(item: ApprovalItem): vscode.TreeItem {
  const node = new vscode.TreeItem(item.title, vscode.TreeItemCollapsibleState.None)
  const description = approvalDescription(item, Date.now())
  node.id = item.id
  node.description = description
  node.tooltip = item.text
  node.contextValue = approvalContext(item)
  node.iconPath = item.isDoubt
    ? new vscode.ThemeIcon('question', new vscode.ThemeColor('charts.yellow'))
    : new vscode.ThemeIcon(
        'bell-dot',
        new vscode.ThemeColor(item.risk === 'HIGH' ? 'charts.red' : 'charts.yellow'),
      )
  node.command = {
    command: 'copilotMultiAgent.showApproval',
    title: 'Show Whole Action',
    arguments: [{ session: item.session, question: item.question }],
  }
  node.accessibilityInformation = { label: `${item.title}, ${description}`, role: 'treeitem' }
  return node
}
