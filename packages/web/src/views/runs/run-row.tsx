import { costText, shortNumber, tokensOf } from '../../parts/format.ts'
import { shortModel } from '../../parts/short-model.ts'
import { visibleLine } from '../../parts/show-hidden.ts'
import { StateMark, stateOf } from '../../parts/state-mark.tsx'
import type { FlatRow } from './flatten.ts'

export interface RunRowProps {
  readonly flat: FlatRow
  readonly index: number
  readonly isSelected: boolean
  readonly style: { readonly transform: string; readonly height: string }
  readonly onSelect: () => void
  readonly onToggle: () => void
  readonly onShow: () => void
}

/** One session in the tree. It rerenders only when its own row has changed. */
export function RunRow({ flat, index, isSelected, style, onSelect, onToggle, onShow }: RunRowProps) {
  const { cell, level, position, siblings, isOpen } = flat
  const row = cell.row.value
  const { subtree } = row
  return (
    <div
      class="run"
      role="row"
      id={`run-${index}`}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      data-session={row.id}
      style={{ ...style, '--level': Math.min(level - 1, 24) }}
      onClick={onSelect}
      onDblClick={onShow}
    >
      <span class="run-name" role="gridcell">
        <span
          class={isOpen === undefined ? 'twist' : `twist twist-${isOpen ? 'open' : 'closed'}`}
          aria-hidden="true"
          onClick={(event) => {
            if (isOpen === undefined) return
            event.stopPropagation()
            onToggle()
          }}
        />
        <StateMark state={stateOf(row)} />
        <strong>{visibleLine(row.agent)}</strong>
        <span class="run-id">
          <bdi dir="ltr">{row.id}</bdi>
        </span>
        {subtree.waiting > 0 && (
          <span class="count count-waiting">
            {subtree.waiting}
            <span class="unseen"> pending {subtree.waiting === 1 ? 'approval' : 'approvals'}</span>
          </span>
        )}
      </span>
      <span class="run-doing" role="gridcell">
        {visibleLine(row.doing ?? row.work)}
      </span>
      <span class="run-model" role="gridcell" title={row.model}>
        <bdi dir="ltr">{shortModel(row.model ?? '–')}</bdi>
      </span>
      <span class="run-number run-sessions" role="gridcell">
        {subtree.sessions}
      </span>
      <span class="run-number" role="gridcell">
        {shortNumber(tokensOf(subtree.usage))}
      </span>
      <span class="run-number" role="gridcell">
        {costText(subtree.usage.cost)}
      </span>
    </div>
  )
}

/** The column headings. A row's numbers include all sessions below it. */
export function RunHead() {
  return (
    <div class="run-head" role="row">
      <span role="columnheader">Session</span>
      <span role="columnheader">Now</span>
      <span class="run-model" role="columnheader">
        Model
      </span>
      <span class="run-number run-sessions" role="columnheader">
        Sessions
      </span>
      <span class="run-number" role="columnheader">
        Tokens
      </span>
      <span class="run-number" role="columnheader">
        Cost
      </span>
    </div>
  )
}
