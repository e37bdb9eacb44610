/**
 * Runs delegated work until its report, or until a person must decide. This is the code of the process that `Launch` starts.
 *
 * 1. It starts the session, or resumes it if it exists. If another process is running the tree, it ends without doing anything.
 * 2. No person is available here, so a call that needs approval suspends the run.
 * 3. If the run was cancelled before this process began, it ends without doing anything.
 * 4. Delegated work cannot widen permissions: it has no `--allow`, no `--trust`, and no permissions from a team that the program chose.
 */
import { CadreError, messageOf, type RunResult } from '@cadre/core'
import { realPathOf, thisProcess } from '@cadre/disk'
import { type Home, withLock } from '@cadre/home'
import {
  chooseAgent,
  createRuntime,
  type Environment,
  homeForRun,
  loadSettings,
  openSessions,
  type Runtime,
  type RuntimeOptions,
  teamForRun,
} from '@cadre/runtime'
import type { DelegatedRun, DelegatedRunProcess } from './delegated-run.ts'
import { type DelegatedRunFiles, openDelegatedRunFiles } from './delegated-run-files.ts'

export interface DelegatedRunOptions {
  readonly environment: Environment
  /** The `--home` that the server was started with. */
  readonly home?: string | undefined
  readonly id: string
}

/** Rejects if the run could not start or continue. The process's file also contains the reason. */
export async function executeDelegatedRun(
  { environment, home: wanted, id }: DelegatedRunOptions,
  signal: AbortSignal,
): Promise<RunResult | undefined> {
  const io = withoutTrust(environment)
  const home = await homeForRun(io, { home: wanted })
  const files = openDelegatedRunFiles(home)
  const delegatedRun = files.read(id)
  if (delegatedRun === undefined)
    throw new CadreError('not_found', `there is no delegated run ${id} in ${files.folder}`)
  const claimed = await claim(home, files, id)
  if (claimed === undefined) return undefined
  let state = claimed
  const onOpen = ({ notices }: Runtime) => {
    // Notices about single unusable files have the same code.
    const isUntrusted = notices.some(
      ({ code, message }) => code === 'untrusted' && message.startsWith('this folder is not trusted'),
    )
    if (!isUntrusted) return
    state = { ...state, untrusted: true }
    files.setProcess(id, state)
  }
  try {
    const result = await drive(io, { wanted, delegatedRun, onOpen }, signal)
    files.setProcess(id, { ...state, ended: true })
    return result
  } catch (error) {
    // The other process reports the result.
    const isOwned = error instanceof CadreError && error.code === 'owned'
    files.setProcess(id, { ...state, ...(isOwned ? { ended: true } : { failed: messageOf(error) }) })
    if (isOwned) return undefined
    throw error
  }
}

/** Claims the run for this process. Holds the same lock as a cancel: either the cancel finds this process, or this process finds the cancel. */
function claim(home: Home, files: DelegatedRunFiles, id: string): Promise<DelegatedRunProcess | undefined> {
  return withLock(home, 'delegations', () => {
    const before = files.process(id)
    if (before?.cancelled) return undefined
    const state = { launched: before?.launched ?? Date.now(), process: thisProcess() }
    files.setProcess(id, state)
    return state
  })
}

interface RunDriverOptions {
  readonly wanted: string | undefined
  readonly delegatedRun: DelegatedRun
  readonly onOpen: (runtime: Runtime) => void
}

async function drive(
  io: Environment,
  { wanted, delegatedRun, onOpen }: RunDriverOptions,
  signal: AbortSignal,
): Promise<RunResult> {
  const { id, work, agent, team, workspace, readOnly, trace } = delegatedRun
  const sessions = await openSessions(io, (await homeForRun(io, { home: wanted })).path)
  const stored = await sessions.read(id).catch(() => undefined)
  await sessions.close()
  const options: RuntimeOptions = { environment: io, home: wanted, workspace }
  if (stored !== undefined) {
    const { spec } = stored
    const shared = spec.isolation?.kind === 'own' ? spec.isolation.base : spec.workspace
    if (realPathOf(shared) !== realPathOf(workspace))
      throw new CadreError(
        'configuration',
        `session ${id} does not work in ${workspace}, where it was started.`,
      )
    return withRuntime({ ...options, ...teamForRun(spec) }, onOpen, (runtime) =>
      runtime.orchestrator.resume(id, {}, signal),
    )
  }
  const noTeamEffects = await isTeamOfProgram(io, wanted, delegatedRun)
  return withRuntime({ ...options, agent, team, readOnly, noTeamEffects }, onOpen, (runtime) =>
    runtime.orchestrator.start(
      {
        id,
        agent: chooseAgent(runtime, agent),
        work,
        workspace,
        plain: false,
        ...(trace !== undefined && { trace }),
      },
      signal,
    ),
  )
}

async function withRuntime(
  options: RuntimeOptions,
  onOpen: RunDriverOptions['onOpen'],
  go: (runtime: Runtime) => Promise<RunResult>,
): Promise<RunResult> {
  const runtime = await createRuntime(options)
  const stopWatching = runtime.watchRequests()
  try {
    onOpen(runtime)
    return await go(runtime)
  } finally {
    stopWatching()
    await runtime.close()
  }
}

/** False only if a person configured the team. */
async function isTeamOfProgram(
  io: Environment,
  wanted: string | undefined,
  { team }: DelegatedRun,
): Promise<boolean> {
  const { config } = await loadSettings(io, await homeForRun(io, { home: wanted }), { homeTrusted: true })
  return config.team === undefined || (team !== undefined && team !== config.team)
}

/** A repository can set variables for a server that it configures, and must not trust itself. */
export function withoutTrust(environment: Environment): Environment {
  const { CADRE_TRUST: _, ...env } = environment.env
  return { ...environment, env }
}
