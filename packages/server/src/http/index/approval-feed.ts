import type { ApprovalRecord } from '@cadre/gate'
import type { ApiContext } from '../api-context.ts'
import { approvalView } from '../routes/approval-view.ts'

export interface ApprovalFeed {
  /** Call this when this session's open questions may have changed. */
  look(session: string): void
  /** Resolves when everything is sent. For tests. */
  idle(): Promise<void>
}

/** Sends new and changed approvals to the stream. Reads one session at a time, and reads it only once even if it has changed several times. */
export function createApprovalFeed(context: () => ApiContext): ApprovalFeed {
  /** The last version that was sent of each approval. */
  const sent = new Map<string, string>()
  const due = new Set<string>()
  let looking: Promise<void> | undefined

  const send = async (record: ApprovalRecord) => {
    const state = JSON.stringify([record.status, record.decision, votesOf(record)])
    const before = sent.get(record.id)
    if (before === state) return
    sent.set(record.id, state)
    // Nobody needs to know about a decided approval that was never shown as pending.
    if (before === undefined && record.status !== 'pending') return
    const approval = await approvalView(record, context())
    const type = before === undefined ? 'approval.asked' : 'approval.changed'
    context().hub.publish(() => ({ type, approval }))
  }
  const lookAtAll = async () => {
    // After the caller has stored the promise.
    await Promise.resolve()
    for (const session of due) {
      due.delete(session)
      try {
        for (const record of await context().approvals.of([session])) await send(record)
      } catch {
        // The journal cannot be read, which "cadre status" reports.
      }
    }
    looking = undefined
  }
  return {
    look(session) {
      due.add(session)
      looking ??= lookAtAll()
    },
    async idle() {
      while (looking !== undefined) await looking
    },
  }
}

function votesOf(record: ApprovalRecord): unknown {
  return (record as { readonly votes?: unknown }).votes
}
