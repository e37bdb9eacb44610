import type { TaskChange, TaskItem } from '@cadre/api'
import { type Signal, useSignal } from '@preact/signals'
import { CommandHint } from '../../parts/command-hint.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { OperatorNote } from '../../parts/operator-note.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import { hrefOf } from '../../shell/route.ts'
import { notify } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'
import { columnOf, columns, dependentsOf } from './board.ts'
import { changeCommand, deleteCommand } from './task-commands.ts'
import { TaskMark } from './task-mark.tsx'
import type { TaskChanges } from './use-task-changes.ts'

export interface TaskDetailProps {
  readonly task: TaskItem
  readonly tasks: readonly TaskItem[]
  readonly changes: TaskChanges
  /** The query in the view's address, so that links keep the filter. */
  readonly query: Readonly<Record<string, string>>
  readonly onChange: (task: TaskItem, change: TaskChange) => void
}

/** Everything about one task, and what a person can do with it. */
export function TaskDetail({ task, tasks, changes, query, onChange }: TaskDetailProps) {
  const store = useStore()
  const isDeleting = useSignal(false)
  const home = store.me.value?.home ?? '.cadre'
  const known = new Map(tasks.map((one) => [one.id, one]))
  const dependents = dependentsOf(tasks, task.id)
  const links = (ids: readonly string[]) =>
    ids.map((id) => {
      const other = known.get(id)
      return (
        <li key={id}>
          {other === undefined ? (
            <>
              {visibleLine(id)} <span class="dim">(not in the task files)</span>
            </>
          ) : (
            <a href={hrefOf('tasks', id, query)}>
              <TaskMark state={other.state} /> {visibleLine(other.title)}
            </a>
          )}
        </li>
      )
    })
  return (
    <aside class="split-detail" aria-label="Selected task" data-detail={task.id}>
      <h2>{visibleLine(task.title)}</h2>
      <p class="dim">
        <TaskMark state={task.state} /> {visibleLine(task.id)} · {visibleLine(task.file)}:{task.line}
      </p>
      {task.session !== undefined && (
        <p class="links">
          <a class="button" href={hrefOf('sessions', task.session)}>
            Open its session <kbd>Enter</kbd>
          </a>
        </p>
      )}
      {store.may('operator') ? (
        <TaskForm
          key={`${task.id} ${task.etag}`}
          task={task}
          home={home}
          isBusy={changes.isBusy.value}
          onChange={onChange}
        />
      ) : (
        <OperatorNote what="change tasks" />
      )}
      {task.dependencies.length > 0 && (
        <>
          <h3>Depends on</h3>
          <ul class="task-links">{links(task.dependencies)}</ul>
        </>
      )}
      {task.blockedBy.length > 0 && (
        <p class="hint">
          Blocked: Cadre starts this task when {visibleLine(task.blockedBy.join(', '))}{' '}
          {task.blockedBy.length === 1 ? 'is' : 'are'} done.
        </p>
      )}
      {dependents.length > 0 && (
        <>
          <h3>Blocks</h3>
          <ul class="task-links">{links(dependents.map(({ id }) => id))}</ul>
        </>
      )}
      {Object.keys(task.fields).length > 0 && (
        <>
          <h3>Fields</h3>
          <dl class="facts">
            {Object.entries(task.fields).map(([name, value]) => (
              <Field key={name} name={name} value={value} />
            ))}
          </dl>
        </>
      )}
      {store.may('operator') && (
        <div class="action task-delete">
          <button
            type="button"
            onClick={() => {
              isDeleting.value = true
            }}
          >
            Delete…
          </button>
          <CommandHint command={deleteCommand(home, task)} />
        </div>
      )}
      {isDeleting.value && (
        <ConfirmDialog
          title={`Delete "${visibleLine(task.title)}"?`}
          action="Delete the task"
          isDangerous
          command={deleteCommand(home, task)}
          onConfirm={async () => {
            if (await changes.remove(task)) notify('Deleted.')
          }}
          onClose={() => {
            isDeleting.value = false
          }}
        >
          <p>
            Cadre removes the task and its subtasks from {visibleLine(task.file)}. The rest of the file does
            not change.
          </p>
        </ConfirmDialog>
      )}
    </aside>
  )
}

function Field({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{visibleLine(name)}</dt>
      <dd>{visibleLine(value)}</dd>
    </>
  )
}

interface TaskFormProps {
  readonly task: TaskItem
  readonly home: string
  readonly isBusy: boolean
  readonly onChange: (task: TaskItem, change: TaskChange) => void
}

/** State and priority change immediately, the title and the agent when the form is saved. */
function TaskForm({ task, home, isBusy, onChange }: TaskFormProps) {
  const title = useSignal(task.title)
  const agent = useSignal(task.agent ?? '')
  const change: TaskChange = {
    ...(title.value.trim() !== task.title && title.value.trim() !== '' && { title: title.value.trim() }),
    ...(agent.value.trim() !== (task.agent ?? '') && { agent: agent.value.trim() }),
  }
  const isChanged = Object.keys(change).length > 0
  const state = columnOf(task)
  return (
    <form
      class="task-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) onChange(task, change)
      }}
    >
      <label>
        State{' '}
        <span class="dim">
          <kbd>&lt;</kbd> <kbd>&gt;</kbd>
        </span>
        <select
          value={state}
          disabled={isBusy}
          onChange={(event) =>
            onChange(task, { state: event.currentTarget.value as Exclude<TaskItem['state'], 'waiting'> })
          }
        >
          {columns.map((column) => (
            <option key={column} value={column}>
              {column}
            </option>
          ))}
        </select>
      </label>
      <label>
        Priority{' '}
        <span class="dim">
          <kbd>+</kbd> <kbd>-</kbd>
        </span>
        <select
          value={task.priority ?? ''}
          disabled={isBusy}
          onChange={(event) => onChange(task, { priority: event.currentTarget.value })}
        >
          <option value="">none</option>
          {[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => (
            <option key={letter} value={letter}>
              {letter}
            </option>
          ))}
        </select>
      </label>
      <CommandHint
        command={changeCommand(
          home,
          task,
          isChanged ? change : { state: state === 'done' ? 'open' : 'done' },
        )}
      />
      <TextField label="Title" maxLength={2000} text={title} />
      <TextField label="Agent or person" maxLength={200} text={agent} />
      <button type="submit" disabled={isBusy || !isChanged}>
        Save
      </button>
    </form>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly maxLength: number
  readonly text: Signal<string>
}

function TextField({ label, maxLength, text }: TextFieldProps) {
  return (
    <label class="wide-field">
      {label}
      <input
        type="text"
        maxLength={maxLength}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
    </label>
  )
}
