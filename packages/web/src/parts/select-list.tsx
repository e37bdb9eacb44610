import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useCommands } from '../shell/use-commands.ts'
import { VirtualRows } from './virtual-rows.tsx'

export interface SelectListProps {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  /** -1 if no row is selected. */
  readonly selected: number
  readonly onSelect: (index: number) => void
  readonly onEnter?: (index: number) => void
  readonly onEnd?: () => void
  readonly row: (index: number) => ComponentChildren
  /** The row's name in the document, for tests and styles. */
  readonly name?: (index: number) => string
}

const rowsPerPage = 12

/** A long list with one selected row. The page's keys move the selection, regardless of the focus. */
export function SelectList(props: SelectListProps) {
  const { label, count, rowHeight, selected, onSelect, onEnter, onEnd, row, name } = props
  const id = useId()
  const move = (by: number) => {
    if (count === 0) return false
    const from = selected < 0 ? (by > 0 ? -1 : count) : selected
    onSelect(Math.max(0, Math.min(count - 1, from + by)))
    return undefined
  }
  useCommands({
    down: () => move(1),
    up: () => move(-1),
    first: () => move(-count),
    last: () => move(count),
    pageDown: () => move(rowsPerPage),
    pageUp: () => move(-rowsPerPage),
    enter: () => (onEnter === undefined || selected < 0 ? false : onEnter(selected)),
  })
  return (
    <VirtualRows
      class="select-list"
      count={count}
      rowHeight={rowHeight}
      selected={selected}
      {...(onEnd && { onEnd })}
      attributes={({ from, to }) => ({
        role: 'listbox',
        'aria-label': label,
        tabIndex: 0,
        // A row that is not rendered cannot be referenced.
        'aria-activedescendant': selected >= from && selected < to ? `${id}-${selected}` : undefined,
      })}
      row={(index, style) => (
        <div
          key={index}
          id={`${id}-${index}`}
          class="select-row"
          role="option"
          aria-selected={index === selected}
          aria-posinset={index + 1}
          aria-setsize={count}
          data-name={name?.(index)}
          style={style}
          onClick={() => onSelect(index)}
          onDblClick={() => onEnter?.(index)}
        >
          {row(index)}
        </div>
      )}
    />
  )
}
