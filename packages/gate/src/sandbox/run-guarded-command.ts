import { existsSync, realpathSync, rmSync } from 'node:fs'
import { homedir, release } from 'node:os'
import path from 'node:path'
import { isInside, maskValues, secretValues } from '@cadre/disk'
import {
  type CommandLimits,
  defaultCommandLimits,
  type Home,
  markUnsandboxedCommand,
  openHome,
  restoreOpenFiles,
  withLock,
} from '@cadre/home'
import type { List } from '../commands/line/line.ts'
import type { Unreadable, UnwritablePaths } from '../effects/denied-paths.ts'
import type { PathResolver } from '../paths/path-resolver.ts'
import { acquireBaseline, type Baseline } from './baseline.ts'
import { memoryFolders } from './bubblewrap-args.ts'
import { markOf } from './command-mark.ts'
import type { CommandEnd, CommandRun } from './command-run.ts'
import { copyWorkspace } from './copy-workspace.ts'
import { findDenied } from './find-denied.ts'
import type { HiddenPaths } from './find-hidden-paths.ts'
import type { GuardedPaths } from './guarded-paths.ts'
import { keepCopies } from './keep-copies.ts'
import { killLeftoverProcesses } from './leftovers.ts'
import { planInput, runnerCommand, runnerEnvironment } from './plan-run.ts'
import { pathInCopy, prepareSandbox } from './prepare-sandbox.ts'
import { removeSetIds } from './remove-set-ids.ts'
import { type GroupEnd, runGroup } from './run-group.ts'
import type { Sandbox } from './sandbox.ts'
import { shellProgram } from './shell-program.ts'
import { type ProtectedChange, undoChanges } from './undo-changes.ts'
import { type GuardedRun, undoDenied, undoNested } from './undo-created.ts'
import { expectedChangesIn, expectedChangesInAll, otherHomesIn, watchedPaths } from './watched-paths.ts'

export interface CommandOptions {
  readonly sandbox: Sandbox
  readonly places: PathResolver
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
export async function runGuardedCommand(
  run: CommandRun,
  deps: CommandOptions,
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
    const denied = await findDenied(root, deps, { home: home?.path, onCopy: run.copy })
    if (denied.kind === 'refused') return failed(`The command was not run: ${denied.reason}.`)
    const task: Task = {
      run: { ...run, cwd },
      baseline,
      deps: { ...deps, home },
      hidden: denied.hidden,
      unchangeable: denied.unchangeable,
      began: denied.began,
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

interface Task extends GuardedRun {
  readonly run: CommandRun
  readonly deps: CommandOptions
  /** The folder that replaces the workspace. */
  readonly copy: string | undefined
  readonly hidden: Extract<HiddenPaths, { kind: 'found' }>
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
  const { run, baseline, deps, copy, began, keep } = task
  const guarded = withoutGitOf(deps.home, baseline.guarded)
  const userHome = deps.userHome ?? homedir()
  const limits = limitsOf(run)
  const enclosed = await prepareSandbox({
    run,
    guarded,
    sandbox,
    copy,
    home: deps.home?.path,
    userHome,
    denied: task,
    memoryMegabytes: limits.memoryMegabytes,
    maxThreads: maxThreads(sandbox, limits),
  })
  const snapshot = baseline.snapshot(enclosed.unmounted)
  const environment = { ...enclosed.environment, ...markOf(run.key, deps.home).environment }
  const end = await runGroup(
    {
      program: sandbox.program,
      args: enclosed.args(wordsOf(run)),
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
      input: enclosed.inputs,
      wantsStatus: true,
    },
    signal,
  )
  const changes = [
    ...undoChanges(snapshot, { ...expectedChangesIn(undefined), ...(keep && { keep }) }),
    ...(copy === undefined ? [...undoNested(task), ...(await undoDenied(task))] : []),
    ...(copy === undefined && sandbox.filter === undefined ? await removeSetIds(guarded.root, began) : []),
  ]
  // Bubblewrap reports the exit code of a command that ran. If a signal ended bubblewrap itself, the command may have had effects.
  const isKilled = end.code === null || end.code > 128
  if (end.kind === 'exited' && !isKilled && !end.status.includes('"exit-code"')) {
    const output = `The command was not run, because the sandbox did not start: ${end.output.trim() || `bubblewrap exited with code ${end.code}`}`
    return { ...toCommandEnd(end, changes), kind: 'not_started', code: null, output }
  }
  return toCommandEnd(end, changes)
}

async function runWithoutSandbox(task: Task, signal: AbortSignal): Promise<Ended> {
  const { run, baseline, deps, copy, hidden, unchangeable, began } = task
  const { guarded } = baseline
  const { home } = deps
  const homes = [...(home === undefined ? [] : [home]), ...otherHomesIn(guarded.paths, home)]
  const marks: (() => void)[] = []
  try {
    // Code that writes forms holds this lock: it either finishes before the check starts, or sees the mark.
    for (const each of homes)
      marks.push(await withLock(each, 'approvals', () => markUnsandboxedCommand(each, run.key)))
    if (copy !== undefined)
      for (const { place } of hidden.masks)
        if (isInside(guarded.root, place))
          rmSync(pathInCopy(place, guarded.root, copy), { recursive: true, force: true })
    const expected = expectedChangesInAll(homes)
    const places = homes.map((each) => each.path)
    const watched = [...watchedPaths(guarded.paths, places), ...unchangeable.named]
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
        endOthers: () => killLeftoverProcesses(mark),
        timeoutMs: run.timeoutMs,
        maxOutput: run.maxOutput ?? defaultOutput,
        take: run.take,
        limits: limitsOf(run),
        mark: mark.text,
      },
      signal,
    )
    // A process that is still running could undo the restore.
    killLeftoverProcesses(mark)
    for (const each of homes) restoreOpenFiles(each)
    return toCommandEnd(end, [
      ...undoChanges(snapshot, expected),
      ...undoNested(task),
      ...(await undoDenied(task)),
      ...(await removeSetIds(guarded.root, began)),
    ])
  } finally {
    for (const finish of marks) finish()
  }
}

function wordsOf({ command }: CommandRun): readonly string[] {
  if (typeof command === 'string') return [shellProgram(), '-c', '--', command]
  return isPlan(command) ? runnerCommand() : command
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
