import type { NewTask, TaskItem } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { CommandHint } from '../../parts/command-hint.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { createCommand } from './task-commands.ts'
import type { TaskChanges } from './use-task-changes.ts'

export interface NewTaskDialogProps {
  readonly home: string
  readonly files: readonly string[]
  readonly changes: TaskChanges
  readonly onClose: () => void
  readonly onCreated: (task: TaskItem) => void
}

/** Writes a new task at the end of a task file. */
export function NewTaskDialog({ home, files, changes, onClose, onCreated }: NewTaskDialogProps) {
  const fields = useSignal({
    title: '',
    file: files[0] ?? 'todo.task.md',
    agent: '',
    priority: '',
    after: '',
  })
  // All attempts use the same key, so that a repeated request does not add a second task.
  const key = useRef(crypto.randomUUID()).current
  const set = (name: keyof typeof fields.value) => (event: { readonly currentTarget: HTMLInputElement }) => {
    fields.value = { ...fields.peek(), [name]: event.currentTarget.value }
  }
  const { title, file, agent, priority, after } = fields.value
  const dependencies = after.split(/[\s,]+/).filter((id) => id !== '')
  const task: NewTask = {
    title: title.trim(),
    ...(file.trim() !== '' && { file: file.trim() }),
    ...(agent.trim() !== '' && { agent: agent.trim() }),
    ...(priority !== '' && { priority: priority.toUpperCase() }),
    ...(dependencies.length > 0 && { dependencies }),
  }
  const create = async () => {
    const made = await changes.create(task, key)
    if (made === undefined) return
    onClose()
    onCreated(made)
  }
  return (
    <Dialog title="New task" onClose={onClose}>
      <form
        class="task-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (task.title !== '') void create()
        }}
      >
        <label class="wide-field">
          Title
          <input type="text" required maxLength={2000} value={title} onInput={set('title')} />
        </label>
        <label>
          File
          <input type="text" list="task-files" maxLength={200} value={file} onInput={set('file')} />
          <datalist id="task-files">
            {files.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
        <label>
          Priority
          <input
            type="text"
            maxLength={1}
            pattern="[A-Za-z]?"
            placeholder="A to Z"
            value={priority}
            onInput={set('priority')}
          />
        </label>
        <label>
          Agent or person
          <input type="text" maxLength={200} value={agent} onInput={set('agent')} />
        </label>
        <label>
          Depends on
          <input type="text" placeholder="task ids" value={after} onInput={set('after')} />
        </label>
        <div class="action wide-field">
          <button type="submit" class="primary" disabled={changes.isBusy.value || task.title === ''}>
            Add the task
          </button>
          <button type="button" onClick={onClose}>
            Go back <kbd>Esc</kbd>
          </button>
        </div>
      </form>
      <CommandHint command={createCommand(home, { ...task, title: task.title || '…' })} />
    </Dialog>
  )
}
