/**
 * Runs the tasks of a home. The daemon calls its methods one at a time; sessions that end call `onRest` in between.
 *
 * 1. One check runs at a time. A request during a check causes another one afterwards.
 * 2. A check reads all files, plans and carries out actions, until nothing is left to do. It does not wait for sessions: an action that
 *    must wait runs in the background, one per session, and requests another check when it is done.
 * 3. After `stop` nothing is written. The next start continues from the files.
 */
import { CadreError, messageOf, type RunResult } from '@cadre/core'
import { systemErrorCode } from '@cadre/disk'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { KeptSessionState } from '../session-keeper.ts'
import type { Action } from './action.ts'
import { countTasks, type TaskCounts } from './count-tasks.ts'
import { readTaskMarks } from './marks.ts'
import { type ActionServices, performAction } from './perform-action.ts'
import { planTasks, relevantSessions, type SessionStates } from './plan-tasks.ts'
import { planNotifications, taskEndId } from './plan-waves.ts'
import {
  countAfterActions,
  indexTasks,
  isBroken,
  type PlacedTask,
  type TaskBook,
  type TaskBookFile,
  type TaskIndex,
} from './task-book.ts'
import { TaskLedger } from './task-ledger.ts'
import { createTaskReports } from './task-reports.ts'
import type { TaskStore } from './task-store.ts'

export interface TaskDutyOptions {
  readonly tasks: TaskStore
  /** The maximum number of parallel task sessions. Default: the current limit of the daemon. */
  readonly parallel?: number
  /** How long a task may be missing from all files while a person moves it, in milliseconds. */
  readonly missingMs?: number
}

const defaultMissingMs = 3000

export function createTaskDuty(context: DaemonContext, options: TaskDutyOptions): Duty {
  const { tasks: store, missingMs = defaultMissingMs } = options
  const { sessions, clock } = context
  const reports = createTaskReports(context.problems)
  const begun = new Set<string>()
  const unstarted = new Map<string, KeptSessionState>()
  const missing = new Map<string, number>()
  const background = new Map<string, Promise<void>>()
  let ledger: TaskLedger | undefined
  let looking: Promise<void> | undefined
  let isCalledFor = false
  let isStopped = false
  /** True if another check is needed, for a session of another process or a missing task. */
  let needsRecheck = false
  let stopListening = () => {}
  let counts: TaskCounts = countTasks({ files: [], agents: [] })

  function look(): Promise<void> {
    isCalledFor = true
    looking ??= lookAll().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookAll(): Promise<void> {
    while (isCalledFor && !isStopped) {
      isCalledFor = false
      while (await checkOnce());
    }
  }

  /** Returns true if something changed. */
  async function checkOnce(): Promise<boolean> {
    if (ledger === undefined || isStopped) return false
    const read = readBook(ledger)
    const { files, stale, learned } = readTaskMarks(
      read.files,
      ledger.marks,
      new Date(clock.now()).toISOString(),
    )
    for (const [id, mark] of learned) ledger.mark(id, mark)
    const book = { ...read, files }
    const index = indexTasks(book)
    const states = await statesOf(book, index)
    const plan = planTasks(book, states, index)
    const restores = stale.map((one): Action => ({ kind: 'restore', stale: one }))
    const refusals: [PlacedTask, string][] = []
    const services: ActionServices = {
      context,
      store,
      ledger,
      index,
      files,
      isTogether: countAfterActions(index, plan.actions) > 1,
      begun,
      unstarted,
      refused: (at, reason) => refusals.push([at, reason]),
    }
    let isChanged = false
    for (const action of [...restores, ...plan.actions]) {
      if (isStopped) return false
      if (waitsForSession(action)) runInBackground(action, services)
      else isChanged = (await performAction(action, services)) || isChanged
    }
    if (!isChanged) forgetGone(book, ledger)
    ledger.keepMarks()
    reports.report(book, plan, states, refusals)
    counts = countTasks(book)
    needsRecheck = missing.size > 0 || [...states.values()].some(({ kind }) => kind === 'elsewhere')
    return isChanged
  }

  function runInBackground(action: SessionAction, services: ActionServices): void {
    const { session } = action
    if (background.has(session)) return
    const going = performAction(action, services).then(
      (isDone) => {
        background.delete(session)
        if (isDone) checkLater()
      },
      (error: unknown) => {
        background.delete(session)
        fail(error)
      },
    )
    background.set(session, going)
  }

  /** Runs a check without waiting for it. */
  function checkLater(): void {
    look().catch(fail)
  }

  /** Reports an error of a background check. The next tick retries. */
  function fail(error: unknown): void {
    if (isStopped) return
    needsRecheck = true
    reports.fail(messageOf(error))
  }

  /** A task that was removed and written again is a new task. */
  function forgetGone({ files, gone }: TaskBook, marked: TaskLedger): void {
    for (const id of gone) {
      const mark = marked.marks.get(id)
      const file = files.find((one) => one.file === mark?.file)
      if (mark !== undefined && !marked.claims.has(id) && !(file !== undefined && isBroken(file)))
        marked.unmark(id)
    }
  }

  function readBook({ claims, told, marks }: TaskLedger): TaskBook {
    const files = store.list().map(readFile)
    const agents = context.agents.list().map(({ name }) => name)
    const ids = new Set(files.flatMap(({ tasks }) => tasks.flatMap(({ id }) => id ?? [])))
    const known = new Set([...claims.keys(), ...marks.keys()])
    for (const id of missing.keys()) if (ids.has(id) || !known.has(id)) missing.delete(id)
    for (const id of known) if (!ids.has(id) && !missing.has(id)) missing.set(id, clock.now())
    // If the clock was set back, the time starts again.
    for (const [id, since] of missing) if (since > clock.now()) missing.set(id, clock.now())
    const gone = [...missing].flatMap(([id, since]) => (clock.now() - since >= missingMs ? [id] : []))
    return {
      files,
      agents,
      parallel: options.parallel ?? context.parallel(),
      claims,
      notifiedEnds: told,
      begun,
      gone: new Set(gone),
    }
  }

  /** An unreadable file is reported, and does not affect others. */
  function readFile(file: string): TaskBookFile {
    try {
      return { file, ...store.read(file) }
    } catch (error) {
      const problem = {
        severity: 'error' as const,
        code: 'unreadable',
        message: messageOf(error),
        line: 1,
        column: 1,
      }
      return { file, tasks: [], problems: [problem] }
    }
  }

  async function statesOf(book: TaskBook, index: TaskIndex): Promise<SessionStates> {
    const named = relevantSessions(book, index)
    return new Map(
      await Promise.all(named.map(async (session) => [session, await stateOf(session)] as const)),
    )
  }

  async function stateOf(session: string): Promise<KeptSessionState> {
    try {
      const state = await sessions.state(session)
      return state.kind === 'absent' ? (unstarted.get(session) ?? state) : state
    } catch (error) {
      if (!(error instanceof CadreError) || systemErrorCode(error) !== undefined) throw error
      // A name that a person wrote may not be a session id.
      return error.code === 'usage' ? { kind: 'absent' } : { kind: 'broken', message: error.message }
    }
  }

  /** For a session that was refused before it had a record, this is the only result. */
  function onRest(session: string, result: RunResult): void {
    if (begun.has(session) && result.kind === 'report' && result.report.status === 'error') {
      const reason = result.report.notices?.map(({ message }) => message).join('; ') ?? ''
      unstarted.set(session, { kind: 'ended', outcome: 'error', text: '', ...(reason !== '' && { reason }) })
    }
    checkLater()
  }

  return {
    name: 'tasks',
    folders: ['tasks', 'templates'],
    async start() {
      ledger = new TaskLedger(context.home)
      if (ledger.isNew) {
        const book = readBook(ledger)
        const ended = planNotifications(book, indexTasks(book), undefined)
        ledger.tell(new Map(ended.map(({ session, members }) => [session, members.map(taskEndId)])))
      }
      // `start` is called again after a failure.
      stopListening()
      stopListening = sessions.onRest(onRest)
      await look()
    },
    changed: () => look(),
    async tick() {
      if (needsRecheck) await look()
    },
    counts: () => ({ ...counts }),
    async stop() {
      isStopped = true
      stopListening()
      ledger?.close()
      await looking?.catch(() => {})
    },
  }
}

type SessionAction = Extract<Action, { readonly kind: 'tell' | 'wave' | 'cancel' | 'release' }>

function waitsForSession(action: Action): action is SessionAction {
  if (action.kind === 'wave') return action.isDelivered
  return action.kind === 'tell' || action.kind === 'cancel' || action.kind === 'release'
}
