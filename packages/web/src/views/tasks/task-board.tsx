import type { TaskChange, TaskItem } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { plural } from '../../parts/format.ts'
import { type Column, columnOf, columns } from './board.ts'
import { TaskCard } from './task-card.tsx'

export interface TaskBoardProps {
  readonly board: ReadonlyMap<Column, readonly TaskItem[]>
  readonly selected: string | undefined
  readonly canChange: boolean
  readonly onSelect: (task: TaskItem) => void
  readonly onChange: (task: TaskItem, change: TaskChange) => void
}

const titles: Readonly<Record<Column, string>> = {
  open: 'Open',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
  skipped: 'Skipped',
}

/** The number of cards that a column shows until a person asks for more. */
const mostCards = 100

/** Tasks in columns. A card that is dropped on a column gets that state. A card that is dropped on another card also gets its priority. */
export function TaskBoard({ board, selected, canChange, onSelect, onChange }: TaskBoardProps) {
  const dragged = useSignal<TaskItem | undefined>(undefined)
  const over = useSignal<Column | undefined>(undefined)
  const more = useSignal<ReadonlySet<Column>>(new Set())
  const drop = (column: Column, on: TaskItem | undefined) => {
    const task = dragged.peek()
    dragged.value = undefined
    over.value = undefined
    if (task === undefined || on?.id === task.id) return
    const priority = on === undefined ? undefined : (on.priority ?? '')
    const change: TaskChange = {
      ...(columnOf(task) !== column && { state: column }),
      ...(priority !== undefined && priority !== (task.priority ?? '') && { priority }),
    }
    if (Object.keys(change).length > 0) onChange(task, change)
  }
  return (
    <div class="board" role="group" aria-label="Board">
      {columns.map((column) => {
        const tasks = board.get(column) ?? []
        const shown = more.value.has(column) ? tasks : tasks.slice(0, mostCards)
        return (
          <section
            key={column}
            class="board-column"
            aria-label={titles[column]}
            data-over={over.value === column}
            onDragOver={(event) => {
              if (dragged.peek() === undefined) return
              event.preventDefault()
              over.value = column
            }}
            onDragLeave={() => {
              if (over.peek() === column) over.value = undefined
            }}
            onDrop={(event) => {
              event.preventDefault()
              const card = (event.target as Element).closest<HTMLElement>('[data-task]')
              drop(
                column,
                tasks.find(({ id }) => id === card?.dataset['task']),
              )
            }}
          >
            <h2>
              {titles[column]} <span class="dim">{tasks.length}</span>
            </h2>
            {shown.map((task) => (
              <TaskCard
                key={task.id}
                task={task}
                isSelected={task.id === selected}
                canDrag={canChange}
                onSelect={() => onSelect(task)}
                onDragStart={() => {
                  dragged.value = task
                }}
              />
            ))}
            {shown.length < tasks.length && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  more.value = new Set(more.peek()).add(column)
                }}
              >
                Show {plural(tasks.length - shown.length, 'more task')}
              </button>
            )}
          </section>
        )
      })}
    </div>
  )
}
