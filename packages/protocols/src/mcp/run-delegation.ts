/**
 * Runs a delegation to its report, or until a person has to decide. The body of the process that `Launch` starts.
 *
 * 1. It starts the session, or resumes it if it exists. If another process runs the tree, it ends without doing anything.
 * 2. No person is available here, so a call that needs approval suspends the run.
 * 3. The delegated work cannot widen anything: no `--allow`, no `--trust`, and no effects of a team that the program chose.
 */
import { CadreError, messageOf, type RunResult } from '@cadre/core'
import { realPathOf, thisProcess } from '@cadre/disk'
import {
  chooseAgent,
  createRuntime,
  type Environment,
  homeOfRun,
  loadSettings,
  openSessions,
  type Runtime,
  type RuntimeOptions,
  teamOfRun,
} from '@cadre/runtime'
import type { Delegation, DelegationProcess } from './delegation.ts'
import { openDelegationFiles } from './delegation-files.ts'

export interface RunDelegationOptions {
  readonly environment: Environment
  /** `--home`, as the server was started with. */
  readonly home?: string | undefined
  readonly id: string
}

/** Rejects if the run could not start or continue. The reason is in the file of its process, too. */
export async function runDelegation(
  { environment, home: wanted, id }: RunDelegationOptions,
  signal: AbortSignal,
): Promise<RunResult | undefined> {
  const io = withoutTrust(environment)
  const home = await homeOfRun(io, { home: wanted })
  const files = openDelegationFiles(home)
  const delegation = files.read(id)
  if (delegation === undefined)
    throw new CadreError('not_found', `there is no delegation ${id} in ${files.folder}`)
  let state: DelegationProcess = {
    launched: files.process(id)?.launched ?? Date.now(),
    process: thisProcess(),
  }
  files.setProcess(id, state)
  const onOpen = ({ notices }: Runtime) => {
    // Single files that cannot be used have the same code.
    const isUntrusted = notices.some(
      ({ code, message }) => code === 'untrusted' && message.startsWith('this folder is not trusted'),
    )
    if (!isUntrusted) return
    state = { ...state, untrusted: true }
    files.setProcess(id, state)
  }
  try {
    const result = await drive(io, { wanted, delegation, onOpen }, signal)
    files.setProcess(id, { ...state, ended: true })
    return result
  } catch (error) {
    // The other process reports how it ends.
    const isOwned = error instanceof CadreError && error.code === 'owned'
    files.setProcess(id, { ...state, ...(isOwned ? { ended: true } : { failed: messageOf(error) }) })
    if (isOwned) return undefined
    throw error
  }
}

interface DriveOptions {
  readonly wanted: string | undefined
  readonly delegation: Delegation
  readonly onOpen: (runtime: Runtime) => void
}

async function drive(
  io: Environment,
  { wanted, delegation, onOpen }: DriveOptions,
  signal: AbortSignal,
): Promise<RunResult> {
  const { id, work, agent, team, workspace, readOnly, trace } = delegation
  const sessions = await openSessions(io, (await homeOfRun(io, { home: wanted })).path)
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
    return withRuntime({ ...options, ...teamOfRun(spec) }, onOpen, (runtime) =>
      runtime.orchestrator.resume(id, {}, signal),
    )
  }
  const noTeamEffects = await isTeamOfProgram(io, wanted, delegation)
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
  onOpen: DriveOptions['onOpen'],
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
  { team }: Delegation,
): Promise<boolean> {
  const { config } = await loadSettings(io, await homeOfRun(io, { home: wanted }), { homeTrusted: true })
  return config.team === undefined || (team !== undefined && team !== config.team)
}

/** A repository can set variables for a server that it configures, and must not trust itself. */
export function withoutTrust(environment: Environment): Environment {
  const { CADRE_TRUST: _, ...env } = environment.env
  return { ...environment, env }
}
