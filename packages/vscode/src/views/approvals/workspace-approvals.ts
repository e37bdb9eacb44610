import * as vscode from 'vscode'
import { throttle } from '../../home/throttle.ts'
import type { Services } from '../../services.ts'
import type { ApprovalItem } from './approval-item.ts'

/** Pending decisions in the homes of the workspace. Nothing is loaded while none seems to be pending. */
export interface WorkspaceApprovals extends vscode.Disposable {
  /** Oldest first. */
  readonly items: readonly ApprovalItem[]
  /** Checks again soon. `thoroughly`: also finds approvals without a file in `approvals/pending`. */
  refresh(thoroughly?: boolean): void
  /** Fires after a check, with new items. Nothing is new at the first check. */
  readonly onDidChange: vscode.Event<readonly ApprovalItem[]>
}

export function followApprovals({ homes, runs, log }: Services): WorkspaceApprovals {
  const changed = new vscode.EventEmitter<readonly ApprovalItem[]>()
  let items: readonly ApprovalItem[] = []
  let isThorough = false
  let isFirst = true

  const look = async () => {
    const before = new Set(items.map(({ id }) => id))
    const isWanted = isThorough || homes.mayWait()
    isThorough = false
    const found = isWanted ? await read() : []
    const fresh = isFirst ? [] : found.filter(({ id }) => !before.has(id))
    const isSame = found.length === items.length && fresh.length === 0
    isFirst = false
    items = found
    // Redrawing an unchanged tree would swallow a click.
    if (!isSame) changed.fire(fresh)
  }
  const read = async (): Promise<ApprovalItem[]> => {
    const found: ApprovalItem[] = []
    const { readApprovals } = await import('./read-approvals.ts')
    await homes.find(async (sessions) => {
      found.push(...(await readApprovals(sessions, runs.isShown)))
      return undefined
    })
    return found.sort((a, b) => (a.created < b.created ? -1 : 1))
  }
  const soon = throttle(look, { pause: 300, log })
  const subscriptions = [changed, homes.onDidChange(soon.soon), runs.onDidChange(soon.soon)]
  soon.soon()
  return {
    get items() {
      return items
    },
    refresh(thoroughly = false) {
      isThorough ||= thoroughly
      soon.soon()
    },
    onDidChange: changed.event,
    dispose() {
      soon.dispose()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}
