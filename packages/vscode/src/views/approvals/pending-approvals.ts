import * as vscode from 'vscode'
import { throttle } from '../../home/throttle.ts'
import type { Services } from '../../services.ts'
import type { ApprovalItem } from './approval-item.ts'

/** What waits for a person in the homes of the workspace. Nothing is loaded as long as nothing seems to wait. */
export interface PendingApprovals extends vscode.Disposable {
  /** The oldest first. */
  readonly items: readonly ApprovalItem[]
  /** Looks again soon. `thoroughly`: also for what no file in `approvals/pending` tells of. */
  refresh(thoroughly?: boolean): void
  /** Fires after a look, with what was not there at the look before. Nothing is new at the first look. */
  readonly onDidChange: vscode.Event<readonly ApprovalItem[]>
}

export function followApprovals({ homes, runs, log }: Services): PendingApprovals {
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
    // A tree that is drawn again for nothing swallows the click of somebody who decides.
    if (!isSame) changed.fire(fresh)
  }
  const read = async (): Promise<ApprovalItem[]> => {
    const found: ApprovalItem[] = []
    const { readApprovals } = await import('./read-approvals.ts')
    for (const { folder } of (await homes.list()).trusted) {
      const sessions = await homes.open(folder)
      if (sessions === undefined) continue
      try {
        found.push(...(await readApprovals(sessions)))
      } finally {
        await sessions.close()
      }
    }
    return found.sort((a, b) => (a.created < b.created ? -1 : 1))
  }
  const soon = throttle(
    () => look().catch((error) => log.error(error instanceof Error ? error : String(error))),
    300,
  )
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
