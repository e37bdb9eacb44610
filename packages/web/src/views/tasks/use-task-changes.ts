import { ApiError, type NewTask, type TaskChange, type TaskItem } from '@cadre/api'
import { type Signal, useSignal } from '@preact/signals'
import { attempt, notify } from '../../shell/toasts.ts'
import { useStore } from '../../store/app-context.ts'

export interface TaskChanges {
  readonly isBusy: Signal<boolean>
  /** Returns the changed task, or `undefined` if the change was not made. */
  change(task: TaskItem, change: TaskChange): Promise<TaskItem | undefined>
  create(task: NewTask, idempotencyKey: string): Promise<TaskItem | undefined>
  remove(task: TaskItem): Promise<boolean>
}

/** Changes task files, one change at a time. Does not overwrite other people's changes: the file must be the same as on the page. */
export function useTaskChanges(reload: () => void): TaskChanges {
  const { client } = useStore()
  const isBusy = useSignal(false)
  const act = async <T>(action: () => Promise<T>): Promise<T | undefined> => {
    if (isBusy.peek()) {
      notify('Cadre is still writing another change. Try again in a moment.')
      return undefined
    }
    isBusy.value = true
    try {
      return await attempt(() => action().catch(explain))
    } finally {
      isBusy.value = false
      reload()
    }
  }
  return {
    isBusy,
    change: (task, change) =>
      act(() => client.changeTask({ params: { id: task.id }, body: change, ifMatch: task.etag })),
    create: (task, idempotencyKey) => act(() => client.createTask({ body: task, idempotencyKey })),
    remove: async (task) =>
      (await act(() => client.deleteTask({ params: { id: task.id }, ifMatch: task.etag }))) !== undefined,
  }
}

function explain(error: unknown): never {
  if (error instanceof ApiError && error.status === 412)
    throw new Error(
      'The task file has changed in the meantime, so Cadre did not write your change. The page shows the new content. Repeat your change if you still want it.',
    )
  throw error
}
