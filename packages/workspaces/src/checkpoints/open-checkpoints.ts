import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { JudgedCall, SessionSpec } from '@cadre/core'
import { messageOf } from '@cadre/core'
import { isInside, ownerOnly, realPathOf } from '@cadre/disk'
import { type Home, isSessionName } from '@cadre/home'
import { findBase } from '../find-base.ts'
import { applySteps, removeTemporaryFiles } from './apply-steps.ts'
import { CheckpointFolder, type CheckpointLimits, defaultLimits } from './checkpoint-folder.ts'
import { isSameState } from './file-state.ts'
import { readPathStats } from './path-stats.ts'
import type { CallScope } from './running-call-files.ts'
import { SharedScans } from './shared-scans.ts'
import { readTurn, type Step, type TurnRecord, writeTurn } from './turn-record.ts'
import { addNote, readNotes, removeNotes } from './undo-notes.ts'
import { areSameSteps, chooseTurn, type Direction, planUndo, type UndoPlan } from './undo-plan.ts'

export interface UndoRequest {
  readonly direction: Direction
  /** The folder to undo in, or a folder below it. */
  readonly workspace: string
  /** The entry session whose last turn is undone. Default: the last turn of any session in the folder. */
  readonly session?: string | undefined
}

export type UndoPlanResult =
  | { readonly kind: 'plan'; readonly plan: UndoPlan }
  /** There is nothing to undo or redo. The reason is a sentence for a person. */
  | { readonly kind: 'nothing'; readonly reason: string }
  /** A call is running in the folder. */
  | { readonly kind: 'busy'; readonly reason: string }

export interface ApplyOptions {
  /** The person who wants it. */
  readonly by: string
  /** Also replaces files that have changed since. A redo restores them. */
  readonly force?: boolean | undefined
  /** Skips files with a conflict. */
  readonly skip?: boolean | undefined
}

export type UndoResult =
  | { readonly kind: 'applied'; readonly plan: UndoPlan; readonly skipped: readonly string[] }
  /** Nothing was changed: there are conflicts, or files have changed since the plan was made. `plan` is the current one. */
  | { readonly kind: 'refused'; readonly plan: UndoPlan }
  | { readonly kind: 'nothing'; readonly reason: string }
  | { readonly kind: 'busy'; readonly reason: string }

/** Checkpoints of turns in shared workspaces: what each turn changed, to undo and to redo it. */
export interface Checkpoints {
  /** Starts a turn for a person's message to an entry session. Costs nothing until the turn changes something. */
  beginTurn(root: string, prompt: string): void
  /** A session continues in this process, perhaps after others: its last turn is the one on disk. */
  resumeTurn(root: string): void
  /** Called before a call that can change files. Returns why the checkpoint is incomplete, for the person, once per turn. */
  startCall(session: SessionSpec, call: JudgedCall): Promise<string | undefined>
  finishCall(session: SessionSpec, call: string): Promise<string | undefined>
  /** Runs `work`, which may change files in the shared workspace, as a call of this session. */
  around<T>(session: SessionSpec, name: string, work: () => Promise<T>): Promise<T>
  /** Ends the calls of a session that has ended. */
  endSession(session: SessionSpec): Promise<void>
  /** Plans an undo or redo. Changes nothing in the folder. */
  plan(request: UndoRequest): Promise<UndoPlanResult>
  /** Applies a plan, unless something has changed since. All or nothing: after a crash, the next plan completes it. */
  apply(plan: UndoPlan, options: ApplyOptions): Promise<UndoResult>
  /** Notes for the agent of this session about undone and redone turns. Returned until `forgetNotes`. */
  notes(root: string): readonly string[]
  forgetNotes(root: string, count: number): void
}

export interface CheckpointsOptions {
  readonly home: Home
  readonly limits?: Partial<CheckpointLimits>
}

/** Without a repository, the whole folder is copied. */
const limitsWithoutRepository = { files: 20_000, bytes: 500_000_000 }

export function openCheckpoints({ home, limits = {} }: CheckpointsOptions): Checkpoints {
  const folders = new Map<string, CheckpointFolder | undefined>()
  const looks = new Map<CheckpointFolder, SharedScans<WaitingCall>>()
  /** By entry session: the id of its turn, or the message of one that has changed nothing yet. */
  const turns = new Map<string, { id?: string; prompt: string; isTold?: boolean }>()
  /** Calls of this process, by session. */
  const open = new Map<string, Map<string, { readonly folder: CheckpointFolder; readonly turn: string }>>()

  const folderOf = (workspace: string): CheckpointFolder | undefined => {
    if (!folders.has(workspace)) folders.set(workspace, locate(workspace))
    return folders.get(workspace)
  }
  const locate = (workspace: string): CheckpointFolder | undefined => {
    const { folder, repository, workspace: own } = findBase(home, workspace)
    if (own !== undefined || isInside(realPathOf(home.path), folder)) return undefined
    const top = repository?.top ?? folder
    const apply = { ...defaultLimits, ...(repository === undefined && limitsWithoutRepository), ...limits }
    const found = new CheckpointFolder(home, realPathOf(top), repository, apply)
    looks.set(found, new SharedScans((calls) => found.locked(() => pass(found, calls()))))
    return found
  }

  async function start(session: SessionSpec, call: string, scopeIn: ScopeIn): Promise<string | undefined> {
    if (session.isolation?.kind === 'own' || !isSessionName(session.root)) return undefined
    try {
      const folder = folderOf(session.workspace)
      const scope = folder === undefined ? [] : scopeIn(folder)
      if (folder !== undefined && scope.length > 0)
        await looks.get(folder)?.take({ kind: 'starts', session, call, scope })
      return undefined
    } catch (error) {
      return failed(session, call, turns.get(session.root)?.id, error)
    }
  }

  async function finish(session: SessionSpec, call: string): Promise<string | undefined> {
    const known = open.get(session.id)?.get(call)
    if (known === undefined) return undefined
    try {
      await looks.get(known.folder)?.take({ kind: 'finished', id: `${session.id}/${call}` })
      close(session, call)
      return undefined
    } catch (error) {
      return failed(session, call, known.turn, error)
    }
  }

  /** Under the lock. */
  async function pass(folder: CheckpointFolder, waiting: readonly WaitingCall[]): Promise<void> {
    const starting = waiting.filter((one) => one.kind === 'starts')
    if (starting.length > 0) {
      await completeUndo(folder)
      folder.expire()
    }
    const turnOf = new Map<string, TurnRecord>()
    const running = starting.flatMap(({ session, call, scope }) => {
      const turn = turnOf.get(session.root) ?? continueTurn(folder, session.root)
      turnOf.set(session.root, turn)
      // A failed scan is not repeated in this turn, because it is slow.
      if (scope === 'all' && turn.incomplete !== undefined) return []
      const calls = open.get(session.id) ?? new Map()
      open.set(session.id, calls.set(call, { folder, turn: turn.id }))
      return [{ id: `${session.id}/${call}`, turn: turn.id, scope }]
    })
    const finished = waiting.flatMap((one) => (one.kind === 'finished' ? [one.id] : []))
    await folder.pass(finished, running)
  }

  /** Under the lock. */
  function continueTurn(folder: CheckpointFolder, root: string): TurnRecord {
    const known = turns.get(root) ?? { id: folder.lastTurnOf(root) ?? '', prompt: '' }
    const turn = folder.turnFor(root, known.id || undefined, known.prompt)
    turns.set(root, { ...known, id: turn.id })
    return turn
  }

  const close = (session: SessionSpec, call: string) => {
    const calls = open.get(session.id)
    calls?.delete(call)
    if (calls?.size === 0) open.delete(session.id)
  }

  /** The call continues: its turn cannot be undone completely, which is reported. */
  async function failed(
    session: SessionSpec,
    call: string,
    turn: string | undefined,
    error: unknown,
  ): Promise<string | undefined> {
    const reason = messageOf(error).replace(/\.$/, '')
    const folder = open.get(session.id)?.get(call)?.folder ?? folders.get(session.workspace)
    close(session, call)
    if (folder !== undefined && turn !== undefined)
      await folder.locked(async () => folder.fail(turn, `${session.id}/${call}`, reason)).catch(() => {})
    const known = turns.get(session.root)
    if (known?.isTold) return undefined
    if (known !== undefined) turns.set(session.root, { ...known, isTold: true })
    return `cannot record all changes in this turn, so "cadre undo" cannot undo it completely: ${reason}`
  }

  async function apply(plan: UndoPlan, { by, force, skip }: ApplyOptions): Promise<UndoResult> {
    const folder = folderOf(plan.folder)
    if (folder === undefined) return { kind: 'nothing', reason: 'This folder has no checkpoints.' }
    return folder.locked(async () => {
      await completeUndo(folder)
      const busy = await busyReason(folder)
      if (busy !== undefined) return { kind: 'busy', reason: busy }
      const turn = readTurn(folder.turns, plan.turn)
      const isDone = turn !== undefined && (plan.direction === 'undo') === (turn.undone !== undefined)
      if (turn === undefined || isDone)
        return { kind: 'nothing', reason: `Another process has finished this ${plan.direction} already.` }
      const now = await planUndo(folder, plan.direction, turn, plan)
      const isBlocked =
        !skip &&
        (now.conflicts.some(({ canForce }) => !(force && canForce)) ||
          (now.incomplete !== undefined && !force))
      if (isBlocked || !areSameSteps(plan.steps, now.steps)) return { kind: 'refused', plan: now }
      const left = new Set(
        now.conflicts.filter(({ canForce }) => !(force && canForce)).map(({ path: name }) => name),
      )
      const steps = now.steps.filter(({ path: name }) => !left.has(name))
      const undo: UndoJournal = {
        turn: turn.id,
        direction: plan.direction,
        by,
        at: new Date().toISOString(),
        steps,
      }
      // A redo needs the current content, and must not depend on the project's repository.
      await folder.objects.keep(steps.flatMap(({ from }) => (from.kind === 'file' ? [from] : [])))
      writeFileSync(journalOf(folder), JSON.stringify(undo), { mode: ownerOnly, flush: true })
      await completeUndo(folder)
      return { kind: 'applied', plan: now, skipped: [...left] }
    })
  }

  return {
    beginTurn(root, prompt) {
      turns.set(root, { prompt })
    },
    resumeTurn(root) {
      turns.delete(root)
    },
    startCall(session, { call, tool, input }) {
      return start(session, call.id, (folder) => {
        const named = tool.effect === 'write' ? tool.paths?.(input) : undefined
        if (named === undefined) return isOwnTool(tool) ? [] : 'all'
        const places = named.map((name) => path.resolve(session.workspace, name))
        if (places.some((place) => readPathStats(place)?.kind === 'folder')) return 'all'
        return [...new Set(places.flatMap((place) => folder.namesOf(place)))]
      })
    },
    finishCall: finish,
    async around(session, name, work) {
      await start(session, name, () => 'all')
      try {
        return await work()
      } finally {
        await finish(session, name)
      }
    },
    async endSession(session) {
      for (const call of [...(open.get(session.id)?.keys() ?? [])]) await finish(session, call)
      if (session.parent === undefined) turns.delete(session.root)
    },
    async plan({ direction, workspace, session }) {
      const folder = folderOf(workspace)
      const none = { kind: 'nothing', reason: nothingToApply(direction, session) } as const
      if (folder === undefined || !folder.exists) return none
      return folder.locked(async () => {
        await completeUndo(folder)
        const busy = await busyReason(folder)
        if (busy !== undefined) return { kind: 'busy', reason: busy }
        const turn = chooseTurn(folder, direction, session)
        return turn === undefined ? none : { kind: 'plan', plan: await planUndo(folder, direction, turn) }
      })
    },
    apply,
    notes: (root) => (isSessionName(root) ? readNotes(home, root) : []),
    forgetNotes: (root, count) => removeNotes(home, root, count),
  }

  /** Under the lock. Completes a recorded undo or redo, even if a crash interrupted it. */
  async function completeUndo(folder: CheckpointFolder): Promise<void> {
    const undo = readJournal(folder)
    if (undo === undefined) return
    removeTemporaryFiles(folder, undo.steps)
    await folder.observe(undo.steps.map(({ path: name }) => name))
    // Files that someone else changed meanwhile are kept.
    const due = undo.steps.filter(({ path: name, from }) => isSameState(folder.stateOf(name), from))
    await applySteps(folder, due)
    await folder.observe(undo.steps.map(({ path: name }) => name))
    folder.save()
    const turn = readTurn(folder.turns, undo.turn)
    if (turn !== undefined) {
      const { undone: _, ...rest } = turn
      const { at, by, steps } = undo
      writeTurn(folder.turns, undo.direction === 'undo' ? { ...turn, undone: { at, by, steps } } : rest)
      addNote(home, turn.session, noteText(undo, turn.prompt))
      turns.delete(turn.session)
    }
    rmSync(journalOf(folder), { force: true })
  }
}

/** A call that waits for a scan of its folder. */
type WaitingCall =
  | {
      readonly kind: 'starts'
      readonly session: SessionSpec
      readonly call: string
      readonly scope: CallScope
    }
  | { readonly kind: 'finished'; readonly id: string }

type ScopeIn = (folder: CheckpointFolder) => CallScope

/** A built-in tool that names no files writes to the home: tasks, messages. */
function isOwnTool({ effect, origin = 'built-in' }: JudgedCall['tool']): boolean {
  return effect === 'write' && origin === 'built-in'
}

interface UndoJournal {
  readonly turn: string
  readonly direction: Direction
  readonly by: string
  readonly at: string
  readonly steps: readonly Step[]
}

function journalOf(folder: CheckpointFolder): string {
  return folder.at('undo.json')
}

function readJournal(folder: CheckpointFolder): UndoJournal | undefined {
  try {
    return JSON.parse(readFileSync(journalOf(folder), 'utf8')) as UndoJournal
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    // Torn while it was written, so none of it was applied.
    if (error instanceof SyntaxError) {
      rmSync(journalOf(folder), { force: true })
      return undefined
    }
    throw error
  }
}

async function busyReason(folder: CheckpointFolder): Promise<string | undefined> {
  await folder.settleDead()
  const [running] = folder.running.list()
  if (running === undefined) return undefined
  const [session] = running.id.split('/')
  return `Session ${session} is running a call in this folder. Wait for it to finish, or stop it with: cadre sessions cancel ${session}`
}

function nothingToApply(direction: Direction, session: string | undefined): string {
  const where = session === undefined ? 'in this folder' : `of session ${session}`
  if (direction === 'redo') return `There is no undone turn ${where} to redo.`
  return `There is no turn ${where} to undo: no agent has changed files that a checkpoint covers.`
}

function noteText({ direction, steps }: UndoJournal, prompt: string): string {
  const names = steps.map(({ path: name }) => name)
  const some = names.slice(0, 20).join(', ') + (names.length > 20 ? ` and ${names.length - 20} more` : '')
  const work = prompt === '' ? 'an earlier turn' : `the turn that started with ${JSON.stringify(prompt)}`
  return direction === 'undo'
    ? `The user has undone the file changes from ${work}. These files are as they were before: ${some}. Read them again before you edit them, and do not repeat the changes unless you are asked to.`
    : `The user has restored the file changes from ${work}, which were undone. These files contain its changes again: ${some}.`
}
