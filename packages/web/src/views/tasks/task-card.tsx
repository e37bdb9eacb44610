import type { TaskItem } from '@cadre/api'
import { visibleLine } from '../../parts/show-hidden.ts'
import { TaskMark } from './task-mark.tsx'

export interface TaskCardProps {
  readonly task: TaskItem
  readonly isSelected: boolean
  readonly canDrag: boolean
  readonly onSelect: () => void
  readonly onDragStart: () => void
}

/** One task on the board. */
export function TaskCard({ task, isSelected, canDrag, onSelect, onDragStart }: TaskCardProps) {
  return (
    <button
      type="button"
      class="task-card"
      data-task={task.id}
      aria-pressed={isSelected}
      draggable={canDrag}
      onClick={onSelect}
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', task.id)
        onDragStart()
      }}
    >
      <span class="task-title">{visibleLine(task.title)}</span>
      <TaskFacts task={task} />
    </button>
  )
}

/** The important facts about a task in a list. */
export function TaskFacts({ task }: { readonly task: TaskItem }) {
  const { priority, agent, blockedBy, state } = task
  return (
    <span class="task-facts">
      {state === 'waiting' && <TaskMark state="waiting" />}
      {priority !== undefined && priority !== '' && <span class="task-priority">{priority}</span>}
      {agent !== undefined && <span>@{visibleLine(agent)}</span>}
      {blockedBy.length > 0 && (
        <span class="task-blocked">
          <span aria-hidden="true">⊘ </span>blocked by {visibleLine(blockedBy.join(', '))}
        </span>
      )}
    </span>
  )
}
