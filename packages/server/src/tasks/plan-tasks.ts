import { nameKey } from '@cadre/core'
import type { TaskItem } from '@cadre/tasks'
import type { KeptState } from '../session-keeper.ts'
import type { Action } from './action.ts'
import { type Book, type Claim, indexTasks, isBroken, type Placed, type TaskIndex } from './book.ts'
import { brokenLines, findTaskProblems, isOwnProblem, type TaskTrouble } from './find-task-problems.ts'
import { isTreeOpen, planWaves } from './plan-waves.ts'
import { isMarkedBy } from './task-causes.ts'
import { attemptOf, sessionBase } from './task-session-name.ts'
import { fingerprint } from './task-work.ts'

/** By session. One that is not in it counts as absent. */
export type States = ReadonlyMap<string, KeptState>

export interface Plan {
  readonly actions: readonly Action[]
  readonly troubles: readonly TaskTrouble[]
}

/**
 * What is to be done, from how everything is now: nothing is remembered of how it came about. The same book and the same
 * states give the same plan, and when a plan has been carried out there is nothing left to do until something changes.
 *
 * 1. A task is begun only when all it depends on is done, and only once: its line names the session from then on.
 * 2. No more than `parallel` sessions of tasks run; A goes before B, and then the order of files and lines counts.
 * 3. What a person has decided stays: the daemon only changes tasks that are open or that it has begun itself.
 * 4. Nothing is cancelled for what cannot be read.
 */
export function planTasks(book: Book, states: States, index: TaskIndex = indexTasks(book)): Plan {
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
  const waves = planWaves(book, index, states)
  const claims = planner.claims.toSorted((a, b) => rankOf(a.at) - rankOf(b.at))
  // Whoever is told goes on, and needs a place as well.
  const starts = [...waves.filter(({ isHeard }) => isHeard), ...planner.begins, ...claims]
  actions.push(...waves.filter(({ isHeard }) => !isHeard))
  actions.push(...starts.slice(0, Math.max(0, book.parallel - countRunning(planner))))
  return { actions, troubles }
}

/** The sessions whose states decide what is planned. */
export function sessionsOf(book: Book, index: TaskIndex = indexTasks(book)): readonly string[] {
  const claimed = [...book.claims.values()].map(({ session }) => session)
  const named = [...index.taskOf].flatMap(([session, { task }]) =>
    task.state === 'running' ? [session] : [],
  )
  const creators = planWaves(book, index, undefined).map(({ session }) => session)
  return [...new Set([...claimed, ...named, ...creators])]
}

/** A session that is to be cancelled runs until it has ended. */
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
  readonly book: Book
  readonly states: States
  readonly index: TaskIndex
  /** Tasks whose own lines cannot be understood. */
  readonly broken: ReadonlySet<TaskItem>
  readonly begins: Extract<Action, { kind: 'begin' }>[]
  readonly claims: Extract<Action, { kind: 'claim' }>[]
}

const absent: KeptState = { kind: 'absent' }

function nameTasks({ index }: Planner): Action[] {
  const files = new Set(index.nameless.filter(({ task }) => index.needsId(task)).map(({ file }) => file))
  return [...files].map((file) => ({ kind: 'name', file }))
}

function markTasks({ index }: Planner, troubles: readonly TaskTrouble[]): Action[] {
  const actions: Action[] = []
  const marked = new Set<Placed>()
  for (const { placed, message, code } of troubles) {
    marked.add(placed)
    // Two of one id in one file cannot be told apart by it.
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

function isTwiceInFile({ id, file }: Placed, index: TaskIndex): boolean {
  return (index.twins.get(id) ?? []).filter((twin) => twin.file === file).length > 1
}

function planRunning(planner: Planner, placed: Placed, actions: Action[]): void {
  const { book, states, index } = planner
  const { id, task, file } = placed
  const claim = book.claims.get(id)
  const session = task.fields.get('session') || claim?.session
  // A person's own mark: somebody works on it, but no session.
  if (session === undefined) return
  if (claim !== undefined && claim.session !== session) {
    actions.push({
      kind: 'cancel',
      task: id,
      session: claim.session,
      reason: 'its task names another session',
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
  const isTold = !isClear || claim === undefined || claim.text === fingerprint(task)
  if (state.kind === 'ended') {
    const isGood = state.outcome === 'completed'
    // It ended before it knew how the task reads now: what it has done is not what is wanted.
    if (isGood && !isTold) actions.push({ kind: 'tell', at: placed, session })
    else if (!isGood || !isTreeOpen(session, book, index))
      actions.push({ kind: 'settle', at: placed, session, end: state })
    return
  }
  // What an earlier process has left is taken up here once, whatever it waits for.
  if (state.kind === 'absent' || !book.begun.has(session)) {
    planner.begins.push({ kind: 'begin', at: placed, agent, session, isNew: state.kind === 'absent' })
    return
  }
  if (!isTold) actions.push({ kind: 'tell', at: placed, session })
}

/** Of a claim that is only on the task: whose session it is. */
function claimantOf({ id, task }: Placed, session: string, index: TaskIndex): string | undefined {
  const named = task.who.filter((who) => attemptOf(sessionBase(who, id), session) !== undefined)
  return index.agentOf({ ...task, who: named }) ?? index.agentOf(task)
}

function planOpen(planner: Planner, placed: Placed, isStuck: boolean, actions: Action[]): void {
  const { book, index } = planner
  const { id, task } = placed
  if (planForgotten(planner, placed, 'its task was reopened', actions) === 'live') return
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

function planEnded(planner: Planner, placed: Placed, actions: Action[]): void {
  const { index } = planner
  const { task } = placed
  planForgotten(planner, placed, `its task was marked as ${task.state}`, actions)
  if (task.state !== 'skipped' || index.agentOf(task) === undefined) return
  const given = skippedFor(task)
  if (given === undefined) return
  const cause = causeOf(placed, index)
  // A task that is gone may come back; until then it stays as it is.
  if (cause === undefined && task.dependsOn.every((wanted) => index.byId.has(wanted)))
    actions.push({ kind: 'reopen', at: placed })
  else if (cause !== undefined && cause !== given) actions.push({ kind: 'skip', at: placed, cause })
}

/** A task that is not in progress needs no session. `live` while one still is. */
function planForgotten(
  { book, states, broken }: Planner,
  placed: Placed,
  reason: string,
  actions: Action[],
): 'live' | 'none' {
  const { id, task } = placed
  const claim = book.claims.get(id)
  if (claim === undefined) return 'none'
  const state = states.get(claim.session) ?? absent
  // It said so itself: what it still has to say is heard.
  const isOwn = task.state !== 'open' && isMarkedBy(task, claim.session)
  if (state.kind === 'ended' || state.kind === 'absent' || state.kind === 'broken') {
    const isReport = state.kind === 'ended' && state.outcome === 'completed' && state.text.trim() !== ''
    if (isOwn && isReport && task.state === 'done' && !task.fields.has('result'))
      actions.push({ kind: 'settle', at: placed, session: claim.session, end: state })
    else actions.push({ kind: 'forget', task: id })
    // Whatever it was is over; the ledger says so before the next one begins.
    return 'live'
  }
  if (state.kind !== 'elsewhere' && !isOwn && !broken.has(task))
    actions.push({ kind: 'cancel', task: id, session: claim.session, reason })
  return 'live'
}

function planMissing({ book, states, index }: Planner, id: string, claim: Claim, actions: Action[]): void {
  const file = book.files.find((one) => one.file === claim.file)
  if (index.twins.has(id) || (file !== undefined && isBroken(file))) return
  const { kind } = states.get(claim.session) ?? absent
  if (kind === 'elsewhere') return
  if (kind === 'ended' || kind === 'absent' || kind === 'broken') {
    if (book.gone.has(id)) actions.push({ kind: 'forget', task: id })
  } else if (book.gone.has(id))
    actions.push({ kind: 'cancel', task: id, session: claim.session, reason: 'its task was removed' })
}

/** Why a task is to be skipped: `task-1 failed`. Nothing when there is no reason. */
function causeOf({ task }: Placed, index: TaskIndex): string | undefined {
  for (const wanted of task.dependsOn) {
    const state = index.byId.get(wanted)?.task.state
    if (state === 'failed') return `${wanted} failed`
    if (state === 'skipped') return `${wanted} was skipped`
  }
  return undefined
}

/** What the daemon wrote when it skipped this task for another; nothing when somebody else skipped it. */
function skippedFor({ fields }: TaskItem): string | undefined {
  const because = fields.get('skipped_because')
  if (because === undefined || fields.get('status') !== 'skipped') return undefined
  return /^\S+ (?:failed|was skipped)$/.test(because) ? because : undefined
}

function brokenOf({ files }: Book): ReadonlySet<TaskItem> {
  const broken = new Set<TaskItem>()
  for (const file of files) {
    const lines = brokenLines(file)
    if (lines.size > 0) for (const task of file.tasks) if (lines.has(task.line)) broken.add(task)
  }
  return broken
}

/** A before B; what has no letter comes last. The order of files and lines is kept by the sort. */
function rankOf({ task }: Placed): number {
  const letter = task.priority?.toUpperCase()
  return letter !== undefined && /^[A-Z]$/.test(letter) ? letter.charCodeAt(0) : 1000
}
