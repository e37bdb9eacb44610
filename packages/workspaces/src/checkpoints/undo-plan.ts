import { readdirSync } from 'node:fs'
import type { CheckpointFolder } from './checkpoint-folder.ts'
import { type FileState, isSameState } from './file-state.ts'
import type { LineCounts } from './object-store.ts'
import { readPathStats } from './path-stats.ts'
import {
  type AttributionUncertainty,
  listTurns,
  readTurn,
  type Step,
  sessionOfTurn,
  type TurnRecord,
} from './turn-record.ts'

export type Direction = 'undo' | 'redo'

/** What an undo or redo does to a file. */
export interface PlannedFile {
  /** Relative to the folder, with `/`. Written by an agent: clean it before you show it. */
  readonly path: string
  readonly action: 'create' | 'change' | 'delete'
  /** Lines; absent for binary files, links and folders. */
  readonly added?: number
  readonly removed?: number
}

/** A file that is not as the turn, or the undo, left it. */
export interface Conflict {
  readonly path: string
  /** A sentence without its subject, the file. */
  readonly reason: string
  /** False if not even `force` can restore it. */
  readonly canForce: boolean
}

/** An undo or redo before it is applied. */
export interface UndoPlan {
  readonly direction: Direction
  readonly folder: string
  readonly turn: string
  readonly session: string
  /** The start of the person's message that started the turn. */
  readonly prompt: string
  /** When the turn started. */
  readonly started: string
  readonly files: readonly PlannedFile[]
  /** If there are any, `apply` refuses unless `force` or `skip` is set. */
  readonly conflicts: readonly Conflict[]
  /** Why some changes of the turn were not recorded. `apply` then refuses too. */
  readonly incomplete?: string
  /** What the plan does not cover, one sentence each. */
  readonly notices: readonly string[]
  /** All steps, including those with a conflict, with the current state of each file. */
  readonly steps: readonly Step[]
}

/** Returns the turn to undo or redo: the newest of this session, or of any. */
export function chooseTurn(
  { turns }: CheckpointFolder,
  direction: Direction,
  session: string | undefined,
): TurnRecord | undefined {
  const wanted = listTurns(turns)
    .filter((id) => session === undefined || sessionOfTurn(id) === session)
    .flatMap((id) => readTurn(turns, id) ?? [])
  if (direction === 'undo')
    return wanted.find(
      ({ undone, changes, incomplete }) =>
        undone === undefined && (Object.keys(changes).length > 0 || incomplete !== undefined),
    )
  const undone = wanted.filter((turn) => turn.undone !== undefined)
  return undone.toSorted((a, b) => (undoneAt(a) < undoneAt(b) ? 1 : -1))[0]
}

function undoneAt({ undone, id }: TurnRecord): string {
  // Undone in the same millisecond: the older turn was undone later.
  return `${undone?.at}/${String(1e9 - Number.parseInt(id, 10))}`
}

/** Under the lock. `counted`: files whose lines were already counted, if these are the same. */
export async function planUndo(
  folder: CheckpointFolder,
  direction: Direction,
  turn: TurnRecord,
  counted?: UndoPlan,
): Promise<UndoPlan> {
  const wanted = wantedSteps(direction, turn)
  await folder.observe(wanted.map(({ path }) => path))
  folder.save()
  const steps: Step[] = []
  const conflicts: Conflict[] = []
  for (const { path, ...rest } of wanted) {
    const present = folder.stateOf(path)
    if (isSameState(present, rest.to)) continue
    steps.push({ path, from: present, to: rest.to })
    const conflict = conflictOf(present, rest)
    if (conflict !== undefined) conflicts.push({ path, ...conflict })
  }
  const blocked = [...findObstacles(folder, steps)]
  const isBlocked = new Set(blocked.map(({ path }) => path))
  const { id, session, prompt, started } = turn
  return {
    direction,
    folder: folder.top,
    turn: id,
    session,
    prompt,
    started,
    files: counted && areSameSteps(counted.steps, steps) ? counted.files : await plannedFiles(folder, steps),
    // Not even force can restore a path that is blocked.
    conflicts: [...conflicts.filter(({ path }) => !isBlocked.has(path)), ...blocked].toSorted((a, b) =>
      a.path < b.path ? -1 : 1,
    ),
    notices: noticesOf(turn, direction),
    ...(direction === 'undo' && turn.incomplete !== undefined && { incomplete: turn.incomplete }),
    steps,
  }
}

export function areSameSteps(a: readonly Step[], b: readonly Step[]): boolean {
  if (a.length !== b.length) return false
  return a.every(({ path, from, to }, index) => {
    const other = b[index]
    return other?.path === path && isSameState(other.from, from) && isSameState(other.to, to)
  })
}

interface Wanted {
  readonly path: string
  readonly expected: FileState
  readonly to: FileState
  readonly doubt?: AttributionUncertainty
}

function wantedSteps(direction: Direction, { changes, undone }: TurnRecord): readonly Wanted[] {
  if (direction === 'redo')
    return (undone?.steps ?? []).map(({ path, from, to }) => ({ path, expected: to, to: from }))
  return Object.entries(changes).map(([path, { before, after, doubt }]) => ({
    path,
    expected: after,
    to: before,
    ...(doubt && { doubt }),
  }))
}

const doubts: Readonly<Record<AttributionUncertainty, string>> = {
  between: 'was also changed by someone else during the turn',
  contested: 'was changed while another session was running a command',
  interrupted: 'was changed during or after an interrupted call',
}

const unstored = {
  large: 'is too large, so its earlier content was not kept',
  unreadable: 'was not readable, so its earlier content was not kept',
  special: 'was not a regular file, so it was not kept',
  lost: 'has lost its earlier content, because git removed it from the repository',
}

function conflictOf(
  present: FileState,
  { expected, to, doubt }: Omit<Wanted, 'path'>,
): Omit<Conflict, 'path'> | undefined {
  if (to.kind === 'unstored') return { reason: unstored[to.why], canForce: false }
  const isKept = present.kind !== 'unstored'
  if (!isKept && !isSameState(present, expected))
    return { reason: 'has changed since, and cannot be kept for a redo', canForce: false }
  if (!isSameState(present, expected)) {
    const reason = present.kind === 'absent' ? 'was deleted since' : 'has changed since'
    return { reason, canForce: true }
  }
  return doubt === undefined ? undefined : { reason: doubts[doubt], canForce: true }
}

/** Unplanned entries where a file or folder must be restored. */
function* findObstacles(folder: CheckpointFolder, steps: readonly Step[]): Generator<Conflict> {
  const goal = new Map(steps.map(({ path, to }) => [path, to]))
  for (const { path, from, to } of steps) {
    if (to.kind === 'absent' || to.kind === 'unstored') continue
    const parts = path.split('/')
    const blocking = parts
      .slice(0, -1)
      .map((_, index) => parts.slice(0, index + 1).join('/'))
      .find((above) => {
        const look = readPathStats(folder.place(above))
        const kind = goal.get(above)?.kind
        return look !== undefined && look.kind !== 'folder' && kind !== 'folder' && kind !== 'absent'
      })
    if (blocking !== undefined)
      yield { path, reason: `cannot be restored, because ${blocking} is no longer a folder`, canForce: false }
    else if (from.kind === 'folder' && to.kind !== 'folder' && !willBeEmpty(folder, path, goal))
      yield {
        path,
        reason: 'cannot be restored, because a folder with other files is there now',
        canForce: false,
      }
  }
}

function willBeEmpty(folder: CheckpointFolder, name: string, goal: ReadonlyMap<string, FileState>): boolean {
  return readdirSync(folder.place(name), { withFileTypes: true }).every((entry) => {
    const below = `${name}/${entry.name}`
    return goal.get(below)?.kind === 'absent' && (!entry.isDirectory() || willBeEmpty(folder, below, goal))
  })
}

async function plannedFiles(
  folder: CheckpointFolder,
  steps: readonly Step[],
): Promise<readonly PlannedFile[]> {
  const shown = steps
    .filter(({ path, from, to }) => {
      const isFolder = [from, to].every(({ kind }) => kind === 'folder' || kind === 'absent')
      return !isFolder || !steps.some((other) => other.path.startsWith(`${path}/`))
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const countable = shown.filter(({ from, to }) => [from, to].every(isText))
  const counts = await folder.objects.countLines(
    countable.map(({ from, to }) => [objectOf(from), objectOf(to)]),
  )
  const lines = new Map<Step, LineCounts | undefined>(countable.map((step, index) => [step, counts[index]]))
  return shown.map((step) => ({
    path: step.path,
    action: step.from.kind === 'absent' ? 'create' : step.to.kind === 'absent' ? 'delete' : 'change',
    ...lines.get(step),
  }))
}

function isText(state: FileState): boolean {
  return state.kind === 'absent' || (state.kind === 'file' && state.size < 5 << 20)
}

function objectOf(state: FileState): string | undefined {
  return state.kind === 'file' ? state.object : undefined
}

function noticesOf({ uncovered }: TurnRecord, direction: Direction): readonly string[] {
  if (direction === 'redo' || uncovered.length === 0) return []
  const some = uncovered.slice(0, 5).join(', ')
  const more = uncovered.length > 5 ? ` and ${uncovered.length - 5} more` : ''
  return [`Undo does not revert changes that commands made in these places: ${some}${more}.`]
}
