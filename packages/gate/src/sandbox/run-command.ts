import { existsSync, lstatSync, realpathSync, rmSync } from 'node:fs'
import { homedir, release } from 'node:os'
import path from 'node:path'
import { isInside, maskValues, secretValues } from '@cadre/disk'
import {
  beginUnguarded,
  type CommandLimits,
  defaultCommandLimits,
  type Home,
  openHome,
  restoreOpenFiles,
  withLock,
} from '@cadre/home'
import type { List } from '../commands/line/line.ts'
import type { Unreadable, UnwritablePaths } from '../effects/denied-paths.ts'
import type { Places } from '../paths/places.ts'
import { acquireBaseline, type Baseline } from './baseline.ts'
import { bubblewrapArgs, memoryFolders } from './bubblewrap-args.ts'
import { markOf } from './command-mark.ts'
import type { CommandEnd, CommandRun } from './command-run.ts'
import { copyWorkspace } from './copy-workspace.ts'
import { enclosedEnvironment, separateNamespaces } from './enclosed-process.ts'
import { findHidden, findReadOnlyPaths, type Hidden, type ReadOnlyPaths } from './find-hidden.ts'
import { findNested, type NestedFindings } from './find-nested.ts'
import { gitSettings } from './git-settings.ts'
import type { GuardedPaths } from './guarded-paths.ts'
import { isHarmlessRepository } from './harmless-repository.ts'
import { keepCopies } from './keep-copies.ts'
import { takeSnapshot } from './keep-snapshot.ts'
import { killLeftovers } from './leftovers.ts'
import { type PinnedMounts, pinsFor } from './pins.ts'
import { planInput, runnerEnvironment, runnerWords } from './plan-run.ts'
import { removeSetIds } from './remove-set-ids.ts'
import { type GroupEnd, runGroup } from './run-group.ts'
import type { Sandbox } from './sandbox.ts'
import { shellProgram } from './shell-program.ts'
import { type ExpectedChanges, type ProtectedChange, undoChanges } from './undo-changes.ts'
import { expectedChangesIn, watchedPaths } from './watched-paths.ts'

export interface CommandDeps {
  readonly sandbox: Sandbox
  readonly places: Places
  readonly home?: Home | undefined
  /** The user's home directory. Default: as reported by the system. */
  readonly userHome?: string | undefined
  /** Paths that no agent may read, for a workspace. Without a sandbox, only a copy can omit them. */
  readonly unreadableIn?: ((workspace: string) => Unreadable | undefined) | undefined
  /** Paths that no agent may change, for a workspace. */
  readonly unwritableIn?: ((workspace: string) => UnwritablePaths | undefined) | undefined
}

const defaultOutput = 100_000

/**
 * Runs a command in a workspace until it and all processes that it starts have ended. With bubblewrap, it can write only to the workspace;
 * without, its changes to protected files are undone. Never throws: failures are in the result.
 */
export async function runCommand(
  run: CommandRun,
  deps: CommandDeps,
  signal: AbortSignal,
): Promise<CommandEnd> {
  const sandboxed = deps.sandbox.kind === 'bubblewrap'
  const failed = (output: string): CommandEnd => ({
    kind: signal.aborted ? 'cancelled' : 'not_started',
    code: null,
    output,
    cut: false,
    changes: [],
    sandboxed,
    root: run.workspace,
  })
  let baseline: Baseline | undefined
  try {
    baseline = acquireBaseline(run.workspace, deps.places)
    const { root } = baseline.guarded
    const cwd = realpathSync(run.cwd)
    if (!isInside(root, cwd)) return failed('The working directory is outside the workspace.')
    const home = realHome(deps.home)
    const hidden = await findHidden(root, run.copy, deps)
    if (hidden.kind === 'refused') return failed(`The command was not run: ${hidden.reason}.`)
    const began = Date.now()
    const unchangeable = await findReadOnlyPaths(root, deps.unwritableIn?.(root), home?.path)
    if (unchangeable.kind === 'refused') return failed(`The command was not run: ${unchangeable.reason}.`)
    const task: Task = {
      run: { ...run, cwd },
      baseline,
      deps: { ...deps, home },
      hidden,
      unchangeable,
      began,
      copy: undefined,
      // An agent program may hold the baseline for hours, so a person may have changed something since.
      keep: keepCopies(home),
    }
    if (!run.copy) return { ...(await runTask(task, signal)), sandboxed, root }
    const copied = await copyWorkspace(root, { home }, signal)
    if (copied.kind === 'refused') return failed(`The command was not run: ${copied.reason}.`)
    try {
      const end = await runTask({ ...task, copy: copied.folder }, signal)
      return { ...end, sandboxed, root: sandboxed ? root : copied.folder }
    } finally {
      copied.remove()
    }
  } catch (error) {
    return failed(`Cannot run the command: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    baseline?.release()
  }
}

/** Its real path, because paths found on disk are compared with it. */
export function realHome(home: Home | undefined): Home | undefined {
  if (home === undefined || !existsSync(home.path)) return home
  const real = realpathSync(home.path)
  return real === home.path ? home : openHome({ home: real, cwd: '/', env: {} })
}

type Ended = Omit<CommandEnd, 'sandboxed' | 'root'>

interface Task {
  readonly run: CommandRun
  readonly baseline: Baseline
  readonly deps: CommandDeps
  /** The folder that replaces the workspace. */
  readonly copy: string | undefined
  readonly hidden: Extract<Hidden, { kind: 'found' }>
  readonly unchangeable: Extract<ReadOnlyPaths, { kind: 'found' }>
  /** When the paths were searched. */
  readonly began: number
  /** Saves what is about to be removed. */
  readonly keep?: ExpectedChanges['keep']
}

function runTask(task: Task, signal: AbortSignal): Promise<Ended> {
  const { sandbox } = task.deps
  return sandbox.kind === 'bubblewrap' ? runInSandbox(task, sandbox, signal) : runWithoutSandbox(task, signal)
}

/** The git repository of the home records what agents did. Commands may read it like the rest of the home. */
export function withoutGitOf(home: Home | undefined, guarded: GuardedPaths): GuardedPaths {
  if (guarded.git === undefined || home === undefined || !isInside(home.path, guarded.git.common))
    return guarded
  const { git: _, ...rest } = guarded
  return rest
}

async function runInSandbox(
  task: Task,
  sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>,
  signal: AbortSignal,
): Promise<Ended> {
  const { run, baseline, deps, copy, hidden, unchangeable, began, keep } = task
  const guarded = withoutGitOf(deps.home, baseline.guarded)
  const userHome = deps.userHome ?? homedir()
  const limits = limitsOf(run)
  const { filter } = sandbox
  const writable = [guarded.root, ...(guarded.git === undefined ? [] : [guarded.git.common])]
  const none: PinnedMounts = { held: [], fixed: [], loose: [] }
  const more = { held: [...hidden.held, ...unchangeable.held], fixed: unchangeable.places }
  const pins = copy === undefined ? pinsFor(guarded.paths, writable, more) : none
  // A mount protects the target of a link, not the link.
  const links = unchangeable.named.filter((place) => !unchangeable.places.includes(place))
  const snapshot = baseline.snapshot([...pins.loose, ...links])
  const args = bubblewrapArgs({
    run,
    guarded,
    pins,
    masks: hidden.masks.filter(({ place }) => copy === undefined || isThere(place, guarded.root, copy)),
    sandbox,
    copy,
    home: deps.home !== undefined && existsSync(deps.home.path) ? deps.home.path : undefined,
    userHome,
    // Half of the limit, so that one of them cannot exhaust a machine where usage cannot be watched.
    folderMegabytes: Math.ceil(limits.memoryMegabytes / 2),
    gitFd: 3,
    ...(filter === undefined ? { statusFd: 4 } : { filterFd: 4, statusFd: 5 }),
  })
  const environment = {
    ...enclosedEnvironment(run.environment, userHome),
    ...markOf(run.key, deps.home).environment,
  }
  const end = await runGroup(
    {
      program: sandbox.program,
      args: [
        ...args,
        '--',
        shellProgram(),
        '-c',
        separateNamespaces,
        'sh',
        maxThreads(sandbox, limits),
        ...wordsOf(run),
      ],
      cwd: '/',
      ...processInput(run, environment, {
        cwd: run.cwd,
        root: guarded.root,
        home: deps.home,
        sandboxed: true,
      }),
      timeoutMs: run.timeoutMs,
      maxOutput: run.maxOutput ?? defaultOutput,
      take: run.take,
      limits,
      memoryFolders: memoryFolders(guarded.root, userHome),
      input: [await gitSettings(), ...(filter === undefined ? [] : [filter])],
      wantsStatus: true,
    },
    signal,
  )
  const changes = [
    ...undoChanges(snapshot, { ...expectedChangesIn(undefined), ...(keep && { keep }) }),
    ...(copy === undefined ? [...undoNested(task), ...(await undoDenied(task))] : []),
    ...(copy === undefined && filter === undefined ? await removeSetIds(guarded.root, began) : []),
  ]
  // Only bubblewrap's report proves that the command ended.
  if (end.kind === 'exited' && !end.status.includes('"exit-code"')) {
    const output = `The command was not run, because the sandbox did not start: ${end.output.trim() || `bubblewrap exited with code ${end.code}`}`
    return { ...toCommandEnd(end, changes), kind: 'not_started', code: null, output }
  }
  return toCommandEnd(end, changes)
}

async function runWithoutSandbox(task: Task, signal: AbortSignal): Promise<Ended> {
  const { run, baseline, deps, copy, hidden, unchangeable, began } = task
  const { guarded } = baseline
  const { home } = deps
  // Code that writes forms holds this lock: it either finishes before the check starts, or sees the mark.
  const finish =
    home === undefined
      ? () => undefined
      : await withLock(home, 'approvals', () => beginUnguarded(home, run.key))
  try {
    if (copy !== undefined)
      for (const { place } of hidden.masks)
        if (isInside(guarded.root, place))
          rmSync(inCopy(place, guarded.root, copy), { recursive: true, force: true })
    const expected = expectedChangesIn(home)
    const watched = [...watchedPaths(guarded.paths, home?.path), ...unchangeable.named]
    const snapshot = baseline.snapshot(watched, expected.skip)
    const mark = markOf(run.key, home)
    const [program = '', ...args] = wordsOf(run)
    const cwd = copy === undefined ? run.cwd : path.join(copy, path.relative(guarded.root, run.cwd))
    const end = await runGroup(
      {
        program,
        args,
        cwd,
        ...processInput(
          run,
          { ...run.environment, ...mark.environment },
          { cwd, root: copy ?? guarded.root, home, sandboxed: false },
        ),
        endOthers: () => killLeftovers(mark),
        timeoutMs: run.timeoutMs,
        maxOutput: run.maxOutput ?? defaultOutput,
        take: run.take,
        limits: limitsOf(run),
        mark: mark.text,
      },
      signal,
    )
    // A process that is still running could undo the restore.
    killLeftovers(mark)
    if (home !== undefined) restoreOpenFiles(home)
    return toCommandEnd(end, [
      ...undoChanges(snapshot, expected),
      ...undoNested(task),
      ...(await undoDenied(task)),
      ...(await removeSetIds(guarded.root, began)),
    ])
  } finally {
    finish()
  }
}

function inCopy(place: string, root: string, copy: string): string {
  return path.join(copy, path.relative(root, place))
}

function isThere(place: string, root: string, copy: string): boolean {
  return existsSync(isInside(root, place) ? inCopy(place, root, copy) : place)
}

/**
 * Removes new agent files and hooks in subfolders. A new repository may stay, including one from `git clone`, unless it
 * would start something when a person uses it. A repository without a `.git` is removed: it can hide in any folder, and the
 * file tools could not recognise it.
 */
export function undoNested({
  baseline,
  began,
  keep,
}: Pick<Task, 'baseline' | 'began' | 'keep'>): ProtectedChange[] {
  const { root, nested, repositories } = baseline.guarded
  const known = new Set([...nested.places, ...repositories])
  const now = findNested(root)
  const created = [path.join(root, '.git'), ...now.places].filter(
    (place) =>
      !known.has(place) &&
      existsSync(place) &&
      (path.basename(place) !== '.git' || !isHarmlessRepository(place, repositories)),
  )
  return removeCreated([...created, ...newRepositoryParts(nested, now, began)], keep)
}

/** Returns the files that turned a folder into a repository. Nothing else in that folder is touched. */
function newRepositoryParts(before: NestedFindings, now: NestedFindings, began: number): string[] {
  const known = new Set(before.parts)
  const isNewIn = (folder: string) => !before.bare.includes(folder)
  const made = now.parts.filter(
    (part) => isNewIn(path.dirname(part)) && now.bare.includes(path.dirname(part)),
  )
  // If the tree was not searched completely, the repository may have existed before. Then removing one small file is
  // enough.
  const isOurs = (part: string) => before.isWhole || /^(head|commondir)$/i.test(path.basename(part))
  return made.filter((part) => !known.has(part) && isOurs(part) && wasCreatedSince(part, began))
}

/** Removes files that a command created although the policy denies writing them. Existing files are held or compared. */
export async function undoDenied({
  baseline,
  deps,
  unchangeable,
  began,
  keep,
}: Pick<Task, 'baseline' | 'deps' | 'unchangeable' | 'began' | 'keep'>): Promise<ProtectedChange[]> {
  const { root } = baseline.guarded
  const unwritable = deps.unwritableIn?.(root)
  if (unwritable === undefined) return []
  const now = await findReadOnlyPaths(root, unwritable, deps.home?.path)
  // Too many to distinguish from existing files.
  if (now.kind === 'refused') return [{ path: root, what: 'changed', undone: false }]
  const known = new Set(unchangeable.named)
  return removeCreated(
    now.named.filter((place) => !known.has(place) && wasCreatedSince(place, began)),
    keep,
  )
}

/** True if something was created or renamed since then: files that were only missed before are never removed. */
function wasCreatedSince(place: string, began: number): boolean {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  // Some file systems have a resolution of one second.
  return stats !== undefined && stats.ctimeMs >= began - 1_000
}

function removeCreated(places: readonly string[], keep: ExpectedChanges['keep']): ProtectedChange[] {
  const { above } = takeSnapshot(places)
  return undoChanges(
    { paths: places, kept: new Map(), above },
    { skip: () => false, settle: () => 'undo', ...(keep && { keep }) },
  )
}

function wordsOf({ command }: CommandRun): readonly string[] {
  if (typeof command === 'string') return [shellProgram(), '-c', '--', command]
  return isPlan(command) ? runnerWords() : command
}

function isPlan(command: CommandRun['command']): command is { readonly plan: List } {
  return typeof command === 'object' && 'plan' in command
}

/** The environment of the process and, for a plan, the input of the runner. */
function processInput(
  run: CommandRun,
  environment: NodeJS.ProcessEnv,
  place: {
    readonly cwd: string
    readonly root: string
    readonly home: Home | undefined
    readonly sandboxed: boolean
  },
): { readonly environment: NodeJS.ProcessEnv; readonly stdin?: string } {
  const { command, excluded = [] } = run
  if (!isPlan(command)) return { environment }
  const { cwd, root, home, sandboxed } = place
  const without = [...excluded, ...(home === undefined ? [] : [home.path])]
  const stdin = planInput({ plan: command.plan, cwd, root, excluded: without, sandboxed, environment })
  return { environment: runnerEnvironment(environment), stdin }
}

/**
 * The kernel enforces this limit where it can: since Linux 5.14 it counts each user namespace separately, and it never
 * limits root. A process may have several threads.
 */
function maxThreads(
  { closed }: Extract<Sandbox, { kind: 'bubblewrap' }>,
  { processes }: CommandLimits,
): string {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  const isCounted = closed && process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
  return isCounted ? String(processes * 8) : '-'
}

function limitsOf({ limits }: CommandRun): CommandLimits {
  return { ...defaultCommandLimits, ...limits }
}

function toCommandEnd(
  { kind, code, output, cut, limit }: GroupEnd,
  changes: readonly ProtectedChange[],
): Ended {
  // Without a sandbox, a command can read the environment of this process.
  return {
    kind,
    code,
    output: maskValues(output, secretValues(process.env)),
    cut,
    changes,
    ...(limit && { limit }),
  }
}
