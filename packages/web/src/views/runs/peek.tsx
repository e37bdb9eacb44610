import { ApprovalCard } from '../../parts/approval/approval-card.tsx'
import { BudgetBars } from '../../parts/budget-bars.tsx'
import { CommandHint } from '../../parts/command-hint.tsx'
import { timeText } from '../../parts/format.ts'
import { commandLine } from '../../parts/shell-word.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import { UsageFacts } from '../../parts/usage-facts.tsx'
import { hrefOf } from '../../shell/route.ts'
import { useStore } from '../../store/app-context.ts'
import { pendingUnder } from '../../store/pending-under.ts'
import type { RowCell } from '../../store/session-rows.ts'

/** A summary of the selected session with its pending approvals, so that a person can decide without leaving the tree. */
export function Peek({ cell }: { readonly cell: RowCell }) {
  const store = useStore()
  const row = cell.row.value
  const waiting = pendingUnder(store, row.id)
  return (
    <aside class="peek" aria-label="Selected session">
      <h2>
        {visibleLine(row.agent)} <StateMark state={stateOf(row)} />
      </h2>
      <p class="dim">{row.id}</p>
      <p class="peek-work">{visibleLine(row.work)}</p>
      {row.doing !== undefined && <p class="peek-doing">{visibleLine(row.doing)}</p>}
      <p class="links">
        <a class="button" href={hrefOf('sessions', row.id)}>
          Open <kbd>Enter</kbd>
        </a>
        <a class="button" href={hrefOf('timeline', row.root, row.id === row.root ? {} : { session: row.id })}>
          Timeline
        </a>
      </p>
      <CommandHint command={commandLine('cadre', 'sessions', 'show', row.id)} />
      <dl class="facts">
        <UsageFacts row={row} />
        <dt>Started</dt>
        <dd>{timeText(row.created)}</dd>
        <dt>Updated</dt>
        <dd>{timeText(row.updated)}</dd>
      </dl>
      <BudgetBars subtree={row.subtree} />
      {waiting.length > 0 && <h3>Pending approvals</h3>}
      {waiting.map((approval, at) => (
        <ApprovalCard key={approval.id} approval={approval} takesKeys={at === 0} />
      ))}
    </aside>
  )
}
