import type { Models } from '@cadre/core'
import type { Home } from '@cadre/home'
import { createTaskDuty, type SessionKeeper, type TaskStore } from '@cadre/server'
import { openTaskFiles } from '@cadre/tasks'
import { openTestDaemon } from '../../packages/server/src/daemon/test-daemon.spec-helpers.ts'

/** A process that handles the tasks of a home, and can die at any moment. */
export interface TaskLife {
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface TaskLifeOptions {
  readonly home: Home
  readonly models: Models
  readonly parallel: number
}

export async function live({ home, models, parallel }: TaskLifeOptions): Promise<TaskLife> {
  const life = await openTestDaemon({ home, models })
  const { context, mortal } = life
  const files = openTaskFiles({ folder: home.folder('tasks') })
  const tasks: TaskStore = {
    list: files.list,
    read: files.read,
    change: mortal(files.change),
    ensureIds: mortal(files.ensureIds),
  }
  const duty = createTaskDuty(
    { ...context, sessions: sent(context.sessions), parallel: () => parallel },
    { tasks, parallel },
  )
  await duty.start()
  return {
    kill: life.kill,
    async stop() {
      await duty.stop?.()
      await life.stop()
    },
  }
}

/** The same keeper over a wire: every request and answer is JSON. */
function sent(keeper: SessionKeeper): SessionKeeper {
  const copy = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T))
  const send =
    <A extends readonly unknown[], R>(order: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> =>
      copy(await order(...(given.map(copy) as unknown as A)))
  return {
    start: send(keeper.start),
    tell: send(keeper.tell),
    delivery: send(keeper.delivery),
    resume: send(keeper.resume),
    resumeOnRequest: send(keeper.resumeOnRequest),
    cancel: send(keeper.cancel),
    state: send(keeper.state),
    onRest: (listener) => keeper.onRest((session, result) => listener(session, copy(result))),
  }
}
