import { nameKey } from '@cadre/core'
import type { TaskItem } from '@cadre/tasks'
import type { KeptSessionState } from '../session-keeper.ts'
import type { Action } from './action.ts'
import { type BlockedTask, brokenLines, findTaskProblems, isOwnProblem } from './find-task-problems.ts'
import { hasOpenPlannedTasks, planNotifications } from './plan-waves.ts'
import {
  type Claim,
  indexTasks,
  isBroken,
  type PlacedTask,
  type TaskBook,
  type TaskIndex,
} from './task-book.ts'
import { isMarkedBy } from './task-causes.ts'
import { attemptOf, sessionBase } from './task-session-name.ts'
import { taskFingerprint } from './task-work.ts'

/** The state of each session. A session that is not listed counts as absent. */
export type SessionStates = ReadonlyMap<string, KeptSessionState>

export interface Plan {
  readonly actions: readonly Action[]
  readonly troubles: readonly BlockedTask[]
}

/**
 * Plans actions from the current state alone. The same book and states give the same plan. After a plan has been carried out, the next plan
 * is empty until something changes.
 *
 * 1. A task starts only when all its dependencies are done, and only once: its line then names the session.
 * 2. At most `parallel` task sessions run. They start by priority, then by the order of files and lines.
 * 3. A person's decisions stay: the daemon only changes tasks that are open or that it has started.
 * 4. An unreadable file never causes a cancellation.
 */
export function planTasks(book: TaskBook, states: SessionStates, index: TaskIndex = indexTasks(book)): Plan {
  const troubles = findTaskProblems(book, index)
  const planner: Planner = { book, states, index, broken: brokenOf(book), begins: [], claims: [] }
  const stuck = new Map(troubles.map((trouble) => [trouble.placed, trouble]))
  const actions: Action[] = [...nameTasks(planner), ...markTasks(planner, troubles)]
  for (const placed of index.byId.values()) {
    if (placed.task.state === 'running') planRunning(planner, placed, actions)
    else if (placed.task.state === 'open') planOpen(planner, placed, stuck.has(placed), actions)
    else planEnded(planner, placed, actions)
  }
  for (const [id, claim] of book.claims) if (!index.byId.has(id)) planMissing(planner, id, claim, actions)
  const waves = planNotifications(book, index, states)
  const claims = planner.claims.toSorted((a, b) => rankOf(a.at) - rankOf(b.at))
  // A notified session continues, so it counts towards the limit as well.
  const starts = [...waves.filter(({ isDelivered: isHeard }) => isHeard), ...planner.begins, ...claims]
  actions.push(...waves.filter(({ isDelivered: isHeard }) => !isHeard))
  actions.push(...starts.slice(0, Math.max(0, book.parallel - countRunning(planner))))
  return { actions, troubles }
}

/** The sessions whose states decide what is planned. */
export function relevantSessions(book: TaskBook, index: TaskIndex = indexTasks(book)): readonly string[] {
  const claimed = [...book.claims.values()].map(({ session }) => session)
  const named = [...index.taskOf].flatMap(([session, { task }]) =>
    task.state === 'running' ? [session] : [],
  )
  const creators = planNotifications(book, index, undefined).map(({ session }) => session)
  return [...new Set([...claimed, ...named, ...creators])]
}

/** A session counts as running until its cancellation is complete. */
function countRunning({ book, states, index, begins }: Planner): number {
  const sessions = new Set([...book.claims.values()].map(({ session }) => session))
  for (const [session, { task }] of index.taskOf) if (task.state === 'running') sessions.add(session)
  for (const { session } of begins) sessions.delete(session)
  return [...sessions].filter((session) => {
    const state = states.get(session)
    return state?.kind === 'running' && state.stuck === undefined
  }).length
}

interface Planner {
  readonly book: TaskBook
  readonly states: SessionStates
  readonly index: TaskIndex
  /** Tasks with invalid lines. */
  readonly broken: ReadonlySet<TaskItem>
  readonly begins: Extract<Action, { kind: 'begin' }>[]
  readonly claims: Extract<Action, { kind: 'claim' }>[]
}

const absent: KeptSessionState = { kind: 'absent' }

function nameTasks({ index }: Planner): Action[] {
  const files = new Set(index.nameless.filter(({ task }) => index.needsId(task)).map(({ file }) => file))
  return [...files].map((file) => ({ kind: 'name', file }))
}

function markTasks({ index }: Planner, troubles: readonly BlockedTask[]): Action[] {
  const actions: Action[] = []
  const marked = new Set<PlacedTask>()
  for (const { placed, message, code } of troubles) {
    marked.add(placed)
    // Two tasks with the same id in one file cannot be told apart.
    if (code === 'duplicate' && isTwiceInFile(placed, index)) continue
    if (placed.task.fields.get('problem') !== message)
      actions.push({ kind: 'mark', at: placed, problem: message })
  }
  for (const placed of index.byId.values()) {
    const problem = placed.task.fields.get('problem')
    if (problem === undefined || marked.has(placed) || !isOwnProblem(problem)) continue
    actions.push({ kind: 'mark', at: placed, problem: undefined })
  }
  return actions
}

function isTwiceInFile({ id, file }: PlacedTask, index: TaskIndex): boolean {
  return (index.duplicates.get(id) ?? []).filter((twin) => twin.file === file).length > 1
}

function planRunning(planner: Planner, placed: PlacedTask, actions: Action[]): void {
  const { book, states, index } = planner
  const { id, task, file } = placed
  const claim = book.claims.get(id)
  const session = task.fields.get('session') || claim?.session
  // A person marked the task as running, without a session.
  if (session === undefined) return
  if (claim !== undefined && claim.session !== session) {
    actions.push({
      kind: 'cancel',
      task: id,
      session: claim.session,
      reason: 'the task names another session',
    })
    return
  }
  const agent = claim?.agent ?? claimantOf(placed, session, index)
  if (agent === undefined) return
  const state = states.get(session) ?? absent
  if (state.kind === 'elsewhere' || state.kind === 'broken') return
  const isClear = !planner.broken.has(task)
  const isReassigned =
    isClear && claim !== undefined && !task.who.some((who) => nameKey(who) === nameKey(claim.agent))
  const isStillWanted = state.kind === 'ended' && state.outcome !== 'cancelled'
  if (isReassigned && !isStillWanted) {
    actions.push({ kind: 'release', at: placed, session })
    return
  }
  if (claim === undefined || claim.file !== file) actions.push({ kind: 'adopt', at: placed, agent, session })
  const isTold = !isClear || claim === undefined || claim.text === taskFingerprint(task)
  if (state.kind === 'ended') {
    const isGood = state.outcome === 'completed'
    // It ended before it received the changed task, so its result is for the old text.
    if (isGood && !isTold) actions.push({ kind: 'tell', at: placed, session })
    else if (!isGood || !hasOpenPlannedTasks(session, book, index))
      actions.push({ kind: 'settle', at: placed, session, end: state })
    return
  }
  // Sessions of an earlier process are resumed once.
  if (state.kind === 'absent' || !book.begun.has(session)) {
    planner.begins.push({ kind: 'begin', at: placed, agent, session, isNew: state.kind === 'absent' })
    return
  }
  if (!isTold) actions.push({ kind: 'tell', at: placed, session })
}

/** Returns the agent of a claim that is only on the task. */
function claimantOf({ id, task }: PlacedTask, session: string, index: TaskIndex): string | undefined {
  const named = task.who.filter((who) => attemptOf(sessionBase(who, id), session) !== undefined)
  return index.agentOf({ ...task, who: named }) ?? index.agentOf(task)
}

function planOpen(planner: Planner, placed: PlacedTask, isStuck: boolean, actions: Action[]): void {
  const { book, index } = planner
  const { id, task } = placed
  if (planAbandoned(planner, placed, 'the task was reopened', actions) === 'live') return
  const agent = index.agentOf(task)
  if (agent === undefined || isStuck || planner.broken.has(task)) return
  const cause = causeOf(placed, index)
  if (cause !== undefined) {
    actions.push({ kind: 'skip', at: placed, cause })
    return
  }
  if (!task.dependsOn.every((wanted) => index.byId.get(wanted)?.task.state === 'done')) return
  const base = sessionBase(agent, id)
  const last = attemptOf(base, task.fields.get('session') ?? book.claims.get(id)?.session ?? '') ?? 0
  planner.claims.push({ kind: 'claim', at: placed, agent, base, attempt: last + 1 })
}

function planEnded(planner: Planner, placed: PlacedTask, actions: Action[]): void {
  const { index } = planner
  const { task } = placed
  planAbandoned(planner, placed, `the task was marked as ${task.state}`, actions)
  if (task.state !== 'skipped' || index.agentOf(task) === undefined) return
  const given = skippedFor(task)
  if (given === undefined) return
  const cause = causeOf(placed, index)
  // A missing dependency may come back. Until then the task stays skipped.
  if (cause === undefined && task.dependsOn.every((wanted) => index.byId.has(wanted)))
    actions.push({ kind: 'reopen', at: placed })
  else if (cause !== undefined && cause !== given) actions.push({ kind: 'skip', at: placed, cause })
}

/** Ends the session of a task that is not in progress. Returns `live` while it is still running. */
function planAbandoned(
  { book, states, broken }: Planner,
  placed: PlacedTask,
  reason: string,
  actions: Action[],
): 'live' | 'none' {
  const { id, task } = placed
  const claim = book.claims.get(id)
  if (claim === undefined) return 'none'
  const state = states.get(claim.session) ?? absent
  // The session itself ended its task, so it may finish.
  const isOwn = task.state !== 'open' && isMarkedBy(task, claim.session)
  if (state.kind === 'ended' || state.kind === 'absent' || state.kind === 'broken') {
    const isReport = state.kind === 'ended' && state.outcome === 'completed' && state.text.trim() !== ''
    if (isOwn && isReport && task.state === 'done' && !task.fields.has('result'))
      actions.push({ kind: 'settle', at: placed, session: claim.session, end: state })
    else actions.push({ kind: 'forget', task: id })
    // The ledger must record the end before the next session starts.
    return 'live'
  }
  if (state.kind !== 'elsewhere' && !isOwn && !broken.has(task))
    actions.push({ kind: 'cancel', task: id, session: claim.session, reason })
  return 'live'
}

function planMissing({ book, states, index }: Planner, id: string, claim: Claim, actions: Action[]): void {
  const file = book.files.find((one) => one.file === claim.file)
  if (index.duplicates.has(id) || (file !== undefined && isBroken(file))) return
  const { kind } = states.get(claim.session) ?? absent
  if (kind === 'elsewhere') return
  if (kind === 'ended' || kind === 'absent' || kind === 'broken') {
    if (book.gone.has(id)) actions.push({ kind: 'forget', task: id })
  } else if (book.gone.has(id))
    actions.push({ kind: 'cancel', task: id, session: claim.session, reason: 'the task was removed' })
}

/** Returns the reason to skip a task, such as `task-1 failed`, or `undefined`. */
function causeOf({ task }: PlacedTask, index: TaskIndex): string | undefined {
  for (const wanted of task.dependsOn) {
    const state = index.byId.get(wanted)?.task.state
    if (state === 'failed') return `${wanted} failed`
    if (state === 'skipped') return `${wanted} was skipped`
  }
  return undefined
}

/** The reason that the daemon wrote when it skipped this task, or `undefined` if a person skipped it. */
function skippedFor({ fields }: TaskItem): string | undefined {
  const because = fields.get('skipped_because')
  if (because === undefined || fields.get('status') !== 'skipped') return undefined
  return /^\S+ (?:failed|was skipped)$/.test(because) ? because : undefined
}

function brokenOf({ files }: TaskBook): ReadonlySet<TaskItem> {
  const broken = new Set<TaskItem>()
  for (const file of files) {
    const lines = brokenLines(file)
    if (lines.size > 0) for (const task of file.tasks) if (lines.has(task.line)) broken.add(task)
  }
  return broken
}

/** Tasks are sorted by priority letter; those without one come last. The stable sort keeps the order of files and lines. */
function rankOf({ task }: PlacedTask): number {
  const letter = task.priority?.toUpperCase()
  return letter !== undefined && /^[A-Z]$/.test(letter) ? letter.charCodeAt(0) : 1000
}
