import type { Approval } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApprovalCard, RiskBadge } from '../../parts/approval/approval-card.tsx'
import { approvedBy } from '../../parts/approval/approval-count.ts'
import { CommandHint } from '../../parts/command-hint.tsx'
import { timeText } from '../../parts/format.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { navigate } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { ViewProps } from '../registry.ts'

/** Pending approvals and interrupted calls, oldest first. */
export function Waiting({ id }: ViewProps) {
  const { approvals, isReady, client } = useStore()
  const pending = approvals.pending.value
  // The shown approval remains, even after a decision, until the person moves on. It must not change while they read it.
  const pinned = useSignal<string | undefined>(undefined)
  const last = useRef(0)
  const chosen = id ?? pinned.value ?? pending[0]?.id
  useEffect(() => {
    pinned.value = chosen
  }, [chosen])
  // A link may point to an approval that was decided long ago.
  const missing = id !== undefined && isReady.value && approvals.get(id) === undefined ? id : undefined
  useEffect(() => {
    if (missing === undefined) return
    client.getApproval({ params: { id: missing } }).then((found) => approvals.put(found), console.warn)
  }, [missing])
  const current = chosen === undefined ? undefined : approvals.get(chosen)
  const at = pending.findIndex((one) => one.id === chosen)
  if (at >= 0) last.current = at
  const move = (by: number) => {
    // After a decision, the next approval takes the decided one's position.
    const from = at >= 0 ? at + by : by > 0 ? last.current : last.current - 1
    const next = pending[Math.max(0, Math.min(pending.length - 1, from))]
    return next === undefined ? false : navigate('waiting', next.id)
  }
  useCommands({
    down: () => move(1),
    up: () => move(-1),
    first: () => move(-pending.length),
    last: () => move(pending.length),
    enter: () => (current === undefined ? false : navigate('sessions', current.session)),
  })
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current?.id])
  return (
    <div class="waiting">
      <section class="waiting-list" aria-label="Pending approvals">
        <div class="toolbar">
          <h1>Waiting</h1>
          <CommandHint command="cadre approvals" />
        </div>
        <ul ref={list}>
          {pending.map((approval) => (
            <WaitingItem key={approval.id} approval={approval} isCurrent={approval.id === current?.id} />
          ))}
        </ul>
        {isReady.value && pending.length === 0 && (
          <p class="empty">
            No pending approvals. When a call of an agent needs a person's approval, or was interrupted, it
            appears here.
          </p>
        )}
      </section>
      <section class="waiting-detail" aria-label="Approval">
        {current === undefined ? (
          id !== undefined &&
          isReady.value && <p class="empty">There is no approval {id}. Its session may have been deleted.</p>
        ) : (
          <ApprovalCard key={current.id} approval={current} takesKeys />
        )}
      </section>
    </div>
  )
}

function WaitingItem({ approval, isCurrent }: { readonly approval: Approval; readonly isCurrent: boolean }) {
  const { id, agent, action, risk, created, needed, votes, session } = approval
  const approved = approvedBy(votes)
  return (
    <li>
      <a class="waiting-item" href={hrefOf('waiting', id)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="waiting-line">
          <RiskBadge risk={risk} /> <strong>{agent}</strong> <span class="dim">{session}</span>
        </span>
        <span class="waiting-action">{visibleLine(action.slice(0, 300))}</span>
        <span class="waiting-line dim">
          {timeText(created)}
          {needed !== undefined && ` · ${approved} of ${needed.quorum} approvals`}
        </span>
      </a>
    </li>
  )
}
