import type { Approval } from '@cadre/api'
import type { PendingApprovals } from './pending-approvals.ts'
import type { SessionRows } from './session-rows.ts'

/** The pending approvals of a session and of everything below it, oldest first. */
export function pendingUnder(
  { approvals, rows }: { readonly approvals: PendingApprovals; readonly rows: SessionRows },
  id: string,
): readonly Approval[] {
  // Rows of a tree arrive after the approvals.
  rows.structure.value
  return approvals.pending.value.filter(({ session, root }) => {
    if (session === id || root === id) return true
    let cell = rows.get(session)
    while (cell !== undefined && cell.id !== id) cell = cell.parent
    return cell !== undefined
  })
}
