/**
 * Carries out one action at a time. A task is changed only if it has not changed since the action was planned: an edit that a
 * person made in the meantime takes precedence and leads to a new plan.
 */
import { CadreError, type Controls, type Work } from '@cadre/core'
import { readRequesters } from '@cadre/home'
import type { TaskChange, TaskItem } from '@cadre/tasks'
import type { DaemonContext } from '../daemon-context.ts'
import { hasControls, inheritedControls } from '../inherited-controls.ts'
import { inheritedRequesters } from '../inherited-requesters.ts'
import type { KeptSessionState } from '../session-keeper.ts'
import type { Action, EndedSession } from './action.ts'
import { findLostIds, markAfter, markNameOf, releaseMark, type StaleTask } from './marks.ts'
import { taskEndId } from './plan-waves.ts'
import { shortenLine } from './shorten.ts'
import { soleRejectionReason } from './sole-rejection-reason.ts'
import { type PlacedTask, sessionsBefore, type TaskBookFile, type TaskIndex } from './task-book.ts'
import { creatorOf, sessionsBehindTask } from './task-causes.ts'
import {
  claimChange,
  endChange,
  markChange,
  releaseChange,
  reopenChange,
  skipChange,
} from './task-changes.ts'
import type { TaskLedger } from './task-ledger.ts'
import { sessionName } from './task-session-name.ts'
import type { TaskStore } from './task-store.ts'
import {
  needsApproval,
  plannedTasksEndedMessage,
  taskChangedMessage,
  taskFingerprint,
  taskStartMessage,
} from './task-work.ts'

export interface ActionServices {
  readonly context: DaemonContext
  readonly store: TaskStore
  readonly ledger: TaskLedger
  readonly index: TaskIndex
  readonly files: readonly TaskBookFile[]
  /** True if more than one task is in progress. */
  readonly isTogether: boolean
  /** Sessions that this process has started or resumed. */
  readonly begun: Set<string>
  /** Sessions that could not be started, with the reason. */
  readonly unstarted: Map<string, KeptSessionState>
  /** Called for a task that could not be changed, with the reason. */
  refused(at: PlacedTask, reason: string): void
}

/** Returns true if the action changed something. */
export async function performAction(action: Action, services: ActionServices): Promise<boolean> {
  const { context, ledger } = services
  const { sessions } = context
  switch (action.kind) {
    case 'restore':
      return restore(action.stale, services)
    case 'name':
      return nameTasks(action.file, services)
    case 'mark': {
      const { at, problem } = action
      const known = at.task.fields.get('problem')
      return change(
        services,
        at,
        { fields: { problem: problem ?? null } },
        (task) => task.fields.get('problem') === known,
      )
    }
    case 'claim':
      return claim(action, services)
    case 'adopt':
      return adopt(action, services)
    case 'begin':
      if (action.isNew) adopt(action, services, true)
      return begin(action, services)
    case 'settle': {
      const { at, session } = action
      const end = await checkedEnd(action.end, session, context)
      const isDone = await change(
        services,
        at,
        endChange(at.task, end, session, timeOf(context)),
        isStill(at, session),
      )
      if (!isDone) return false
      ledger.forget(at.id)
      noteEnd({ ...action, end }, services)
      return true
    }
    case 'skip': {
      const { at, cause } = action
      const isDone = await change(services, at, skipChange(at.task, cause, timeOf(context)), isSame(at))
      if (isDone) note(services, 'task.skipped', at, (task) => `Cadre skipped ${task}, because ${cause}.`)
      return isDone
    }
    case 'reopen': {
      const isDone = await change(services, action.at, reopenChange(action.at.task), isSame(action.at))
      if (isDone)
        note(
          services,
          'task.reopened',
          action.at,
          (task) => `Cadre reopened ${task}, because the reason for skipping it no longer applies.`,
        )
      return isDone
    }
    case 'release':
      return release(action.at, action.session, 'assigned to another agent', services)
    case 'cancel': {
      const { task, session, reason } = action
      const isCancelled = await sessions.cancel(session, reason)
      ledger.forget(task)
      if (isCancelled)
        context.note({
          type: 'task.cancelled',
          message: `Session ${session} for task ${task} was cancelled: ${reason}.`,
          task,
          session,
        })
      return true
    }
    case 'forget':
      ledger.forget(action.task)
      return true
    case 'tell': {
      const { at, session } = action
      const known = ledger.claims.get(at.id)
      if (known?.session !== session) return false
      // A change made under stricter controls is carried out by a new session under the same controls.
      if (!(await hasControls(context, session, await controlsOf(at.task, context))))
        return release(at, session, 'changed by a session with stricter permissions', services)
      const changed = { ...taskChangedMessage(at, session, known.said), ...(await givenBy(at, context)) }
      if ((await sessions.tell(session, changed)) === 'missing') return false
      ledger.claim(at.id, { ...known, file: at.file, text: taskFingerprint(at.task), said: known.said + 1 })
      note(services, 'task.told', at, (task) => `Cadre notified session ${session} of a change to ${task}.`)
      return true
    }
    case 'wave': {
      const { session, members, isDelivered: isHeard } = action
      const heard = isHeard
        ? await sessions.tell(session, plannedTasksEndedMessage(session, members))
        : 'missing'
      ledger.tell(new Map([[session, members.map(taskEndId)]]))
      if (heard === 'queued')
        context.note({
          type: 'tasks.ended',
          message: `Session ${session} was notified that the ${members.length} tasks it planned have ended.`,
          session,
          tasks: members.map(({ id }) => id),
        })
      return true
    }
  }
}

/** Restores a stale line, and reports that. */
async function restore({ placed, mark }: StaleTask, services: ActionServices): Promise<boolean> {
  const { task } = placed
  const known = mark.session === '' ? undefined : await services.context.sessions.state(mark.session)
  const isAsRead = (now: TaskItem) =>
    now.state === task.state && now.fields.get('session') === task.fields.get('session')
  const isDone = await change(services, placed, markChange(task, mark, known), isAsRead)
  if (isDone)
    note(
      services,
      'task.restored',
      placed,
      (name) =>
        `Cadre restored ${name}, which is ${mark.state}, because someone saved an older copy of its file. To run the task again, change only its marker to [ ].`,
    )
  return isDone
}

async function nameTasks(
  file: string,
  { store, ledger, index, files, context }: ActionServices,
): Promise<boolean> {
  const ids = await store.ensureIds(
    file,
    (task) => index.needsId(task),
    () => findLostIds(file, files, ledger.marks),
  )
  for (const task of store.read(file).tasks) {
    if (task.id === undefined || !ids.includes(task.id) || ledger.marks.has(task.id)) continue
    const named = markNameOf(task)
    ledger.mark(task.id, { file, session: '', earlier: [], state: 'open', at: timeOf(context), named })
  }
  return ids.length > 0
}

/** Cancels the session of a task, so that another session can start it. */
async function release(
  at: PlacedTask,
  session: string,
  why: string,
  services: ActionServices,
): Promise<boolean> {
  const { context, ledger } = services
  await context.sessions.cancel(session, `the session's task was ${why}`)
  if (ledger.isClosed) return false
  const mark = ledger.marks.get(at.id)
  if (mark !== undefined) ledger.mark(at.id, releaseMark(mark, session, timeOf(context)))
  ledger.keepMarks()
  await change(services, at, releaseChange(at.task), isStill(at, session))
  ledger.forget(at.id)
  note(
    services,
    'task.released',
    at,
    (task) => `Cadre released ${task} from session ${session}, because the task was ${why}.`,
  )
  return true
}

async function claim(action: Extract<Action, { kind: 'claim' }>, services: ActionServices): Promise<boolean> {
  const { at, agent } = action
  const session = await freeSession(action, services)
  const isDone = await change(
    services,
    at,
    claimChange(at.task, session, timeOf(services.context)),
    isSame(at),
  )
  if (!isDone) return false
  const begun = { at, agent, session }
  adopt(begun, services, true)
  note(services, 'task.started', at, (task) => `Agent ${agent} started ${task} in session ${session}.`)
  return begin(begun, services)
}

/** Returns the first unused session name, starting with the planned one. */
async function freeSession(
  { base, attempt }: Extract<Action, { kind: 'claim' }>,
  { context, index, unstarted }: ActionServices,
): Promise<string> {
  for (let number = attempt; ; number++) {
    const name = sessionName(base, number)
    if (index.taskOf.has(name) || unstarted.has(name)) continue
    if ((await context.sessions.state(name)).kind === 'absent') return name
  }
}

interface StartedTask {
  readonly at: PlacedTask
  readonly agent: string
  readonly session: string
}

/** Adds a claim to the ledger. `isNew`: the session will receive the current text of the task. */
function adopt({ at, agent, session }: StartedTask, { ledger }: ActionServices, isNew = false): boolean {
  const known = ledger.claims.get(at.id)
  const said = known?.session === session ? known.said : 0
  const text = known?.session === session && !isNew ? known.text : taskFingerprint(at.task)
  ledger.claim(at.id, { session, agent, file: at.file, text, said })
  return true
}

async function begin({ at, agent, session }: StartedTask, services: ActionServices): Promise<boolean> {
  const { context, index, begun, unstarted } = services
  try {
    const controls = await controlsOf(at.task, context)
    const charged = creatorOf(at.task)
    const [creator] = readRequesters(context.home, 'task', at.id)
    await context.sessions.start({
      id: session,
      agent,
      work: { ...taskStartMessage({ placed: at, session, index }), ...(await givenBy(at, context)) },
      parallel: services.isTogether,
      reportsFailure: true,
      from: sessionsBefore(at, index),
      ...(controls && { controls }),
      ...(charged !== undefined && { charged }),
      ...(creator !== undefined && { startedBy: creator }),
    })
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    unstarted.set(session, { kind: 'ended', outcome: 'error', text: '', reason: error.message })
  }
  begun.add(session)
  return true
}

/** The people who created or changed a task through the daemon, and those behind every session that did. */
async function givenBy({ id, task }: PlacedTask, context: DaemonContext): Promise<Pick<Work, 'by'>> {
  const people = [
    ...readRequesters(context.home, 'task', id),
    ...(await inheritedRequesters(context, sessionsBehindTask(task))),
  ]
  return people.length === 0 ? {} : { by: [...new Set(people)] }
}

/** The controls that its line requires, and those of every session that created or changed it. */
function controlsOf(task: TaskItem, context: DaemonContext): Promise<Controls | undefined> {
  const own: Controls = needsApproval(task) ? { approvalRequired: true } : {}
  return inheritedControls(context, sessionsBehindTask(task), own)
}

async function change(
  { store, ledger, context, refused }: ActionServices,
  at: PlacedTask,
  wanted: TaskChange,
  when: (task: TaskItem) => boolean,
): Promise<boolean> {
  const result = await store.change(at.file, at.id, wanted, when)
  if (result.kind === 'refused') refused(at, result.reason)
  if (result.kind !== 'changed') return false
  // Recorded now, because an old copy may be saved over the file before it is read again.
  const mark = markAfter(at, wanted, ledger.marks.get(at.id), timeOf(context))
  if (mark !== undefined) ledger.mark(at.id, mark)
  return true
}

/** Returns a function that checks whether the task is still open and unchanged since the plan. */
function isSame({ task: planned }: PlacedTask): (task: TaskItem) => boolean {
  return (task) =>
    task.state === planned.state &&
    task.who.join() === planned.who.join() &&
    task.dependsOn.join() === planned.dependsOn.join() &&
    task.fields.get('type') === planned.fields.get('type') &&
    task.fields.get('approval_required') === planned.fields.get('approval_required') &&
    sessionsBehindTask(task).join() === sessionsBehindTask(planned).join()
}

function isStill({ task: planned }: PlacedTask, session: string): (task: TaskItem) => boolean {
  return (task) => task.state === planned.state && (task.fields.get('session') || session) === session
}

/** A task is not done if all its actions were rejected, even if the agent reports that it is. */
async function checkedEnd(
  end: EndedSession,
  session: string,
  { engine }: DaemonContext,
): Promise<EndedSession> {
  if (end.outcome !== 'completed') return end
  const reason = await soleRejectionReason(session, (id) => engine.read(id).catch(() => undefined))
  return reason === undefined ? end : { ...end, outcome: 'incomplete', reason }
}

function noteEnd({ at, session, end }: Extract<Action, { kind: 'settle' }>, services: ActionServices): void {
  if (end.outcome === 'completed')
    note(services, 'task.done', at, (task) => `Session ${session} completed ${task}.`)
  else if (end.outcome === 'cancelled')
    note(
      services,
      'task.skipped',
      at,
      (task) => `Cadre skipped ${task}, because session ${session} was cancelled.`,
    )
  else note(services, 'task.failed', at, (task) => `Session ${session} could not complete ${task}.`)
}

/** `describe` returns the message. Its argument is the task: `task 12 (Fix the login)`. */
function note(
  { context }: ActionServices,
  type: string,
  { id, file, task }: PlacedTask,
  describe: (task: string) => string,
): void {
  const message = describe(`task ${id} (${shortenLine(task.title, 80)})`)
  context.note({ type, message, task: id, file: `tasks/${file}` })
}

function timeOf({ clock }: DaemonContext): string {
  return new Date(clock.now()).toISOString()
}
