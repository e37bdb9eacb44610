import type { TaskChange, TaskItem } from '@cadre/api'
import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { Command, CommandHint } from '../../parts/command-hint.tsx'
import { Fault } from '../../parts/fault.tsx'
import { plural } from '../../parts/format.ts'
import { SelectList } from '../../parts/select-list.tsx'
import { visibleLine } from '../../parts/show-hidden.ts'
import { useAnswer } from '../../parts/use-answer.ts'
import { navigate, replaceQuery } from '../../shell/navigate.ts'
import { hrefOf } from '../../shell/route.ts'
import { useCommands } from '../../shell/use-commands.ts'
import { useStore } from '../../store/app-context.ts'
import type { AgentRow } from '../agents/agent-json.ts'
import type { ViewProps } from '../registry.ts'
import { boardOf, columnBeside, matchTasks, stepOnBoard, stepPriority } from './board.ts'
import { NewTaskDialog } from './new-task-dialog.tsx'
import { TaskBoard } from './task-board.tsx'
import { TaskFacts } from './task-card.tsx'
import { TaskDetail } from './task-detail.tsx'
import { TaskMark } from './task-mark.tsx'
import { useTaskChanges } from './use-task-changes.ts'

/** The tasks in the home's task files, as a board or a list. */
export function Tasks({ id, query }: ViewProps) {
  const store = useStore()
  const answer = useAnswer((signal) => store.client.listTasks({ query: {}, signal }), {
    again: [store.versions.tasks.value, store.versions.snapshot.value],
  })
  const changes = useTaskChanges(answer.reload)
  const isCreating = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  const all = answer.value?.items ?? []
  const filter = query['filter'] ?? ''
  const isList = query['as'] === 'list'
  const tasks = useMemo(() => matchTasks(all, filter), [answer.value, filter])
  const board = useMemo(() => boardOf(tasks), [tasks])
  const current = all.find((task) => task.id === id)
  const canChange = store.may('operator')
  const select = (task: TaskItem | undefined) =>
    task === undefined ? false : navigate('tasks', task.id, query)
  const onChange = (task: TaskItem, change: TaskChange) =>
    void changes.change(task, change).then((now) => {
      // A task without an id gets one with its first change.
      if (now !== undefined && now.id !== task.id && id === task.id) select(now)
    })
  const set = (changed: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries({ ...query, ...changed }).filter(([, value]) => value !== ''))
  const changeCurrent = (change: (task: TaskItem) => TaskChange | undefined) => {
    if (current === undefined || !canChange) return false
    const wanted = change(current)
    if (wanted !== undefined) onChange(current, wanted)
    return undefined
  }
  const move = (by: 1 | -1) =>
    changeCurrent((task) => {
      const state = columnBeside(task, by)
      return state && { state }
    })
  const rank = (by: 'raise' | 'lower') =>
    changeCurrent((task) => {
      const priority = stepPriority(task.priority, by)
      return priority === undefined ? undefined : { priority }
    })
  useCommands({
    ...(!isList && {
      down: () => select(stepOnBoard(board, id, 'down')),
      up: () => select(stepOnBoard(board, id, 'up')),
      open: () => select(stepOnBoard(board, id, 'right')),
      close: () => select(stepOnBoard(board, id, 'left')),
      enter: () => (current?.session === undefined ? false : navigate('sessions', current.session)),
    }),
    forward: () => move(1),
    backward: () => move(-1),
    raise: () => rank('raise'),
    lower: () => rank('lower'),
    create: () => {
      if (!canChange) return false
      isCreating.value = true
      return undefined
    },
    filter: () => field.current?.focus(),
    back: () => (id === undefined ? false : navigate('tasks', undefined, query)),
  })
  return (
    <div
      class={current === undefined ? 'split split-single' : 'split split-wide'}
      data-loaded={answer.value !== undefined}
    >
      <section class="split-list" aria-label="Tasks">
        <div class="toolbar">
          <h1>Tasks</h1>
          <input
            ref={field}
            type="search"
            aria-label="Filter tasks"
            placeholder="Filter: words, blocked, state:open"
            value={filter}
            onInput={(event) => replaceQuery(set({ filter: event.currentTarget.value }))}
          />
          <span class="links">
            <a
              class="button"
              href={hrefOf('tasks', id, set({ as: '' }))}
              aria-current={isList ? undefined : 'page'}
            >
              Board
            </a>
            <a
              class="button"
              href={hrefOf('tasks', id, set({ as: 'list' }))}
              aria-current={isList ? 'page' : undefined}
            >
              List
            </a>
          </span>
          {canChange && (
            <button
              type="button"
              onClick={() => {
                isCreating.value = true
              }}
            >
              New task <kbd>n</kbd>
            </button>
          )}
          <span class="dim">{answer.value !== undefined && plural(tasks.length, 'task')}</span>
          <CommandHint command="cadre tasks" />
        </div>
        <Fault answer={answer} />
        {answer.value !== undefined && all.length === 0 ? (
          <NoTasks />
        ) : isList ? (
          <SelectList
            label="Tasks"
            count={tasks.length}
            rowHeight={52}
            selected={tasks.findIndex((task) => task.id === id)}
            onSelect={(index) => void select(tasks[index])}
            onEnter={(index) => {
              const session = tasks[index]?.session
              if (session !== undefined) navigate('sessions', session)
            }}
            name={(index) => tasks[index]?.id ?? ''}
            row={(index) => <TaskLine task={tasks[index] as TaskItem} />}
          />
        ) : (
          <TaskBoard
            board={board}
            selected={id}
            canChange={canChange}
            onSelect={select}
            onChange={onChange}
          />
        )}
        {all.length > 0 && tasks.length === 0 && <p class="empty">No task matches the filter.</p>}
      </section>
      {current !== undefined && (
        <TaskDetail task={current} tasks={all} changes={changes} query={query} onChange={onChange} />
      )}
      {isCreating.value && (
        <NewTaskDialog
          home={store.me.value?.home ?? '.cadre'}
          files={[...new Set(all.map(({ file }) => file))]}
          changes={changes}
          onClose={() => {
            isCreating.value = false
          }}
          onCreated={select}
        />
      )}
    </div>
  )
}

function TaskLine({ task }: { readonly task: TaskItem }) {
  return (
    <>
      <span class="select-line">
        <TaskMark state={task.state} /> <strong>{visibleLine(task.title)}</strong>
      </span>
      <span class="select-line dim">
        {visibleLine(task.id)} · {visibleLine(task.file)}:{task.line} <TaskFacts task={task} />
      </span>
    </>
  )
}

function NoTasks() {
  const { client } = useStore()
  const agents = useAnswer((signal) => client.listAgents({ signal }))
  const rows = (agents.value?.items ?? []) as unknown as readonly AgentRow[]
  const entry = rows.find((agent) => agent.entry)?.name ?? 'AGENT'
  return (
    <div class="empty">
      <p>
        No tasks yet. Write one into <code>tasks/todo.task.md</code> in the home directory:
      </p>
      <pre>- [ ] @{visibleLine(entry)} Describe the work in one line</pre>
      <p>
        While <Command line="cadre up" /> is running, the agent after @ works on the task.
      </p>
    </div>
  )
}
