import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Work } from '@cadre/core'
import { type Home, isSessionName, sessionIds, slugOf } from '@cadre/home'
import type { DaemonContext } from '../../daemon-context.ts'
import type { SessionStart } from '../../session-keeper.ts'
import { foreignWorkspaceReason } from '../../sessions/foreign-workspace-reason.ts'
import type { DaemonOperations, RouteContext } from '../api-context.ts'
import type { Caller } from '../guard/caller.ts'
import { starterOf } from '../guard/voter-of.ts'
import { HttpProblem } from '../problem.ts'
import { runInOrder } from './run-in-order.ts'

export interface StartOnce extends Omit<SessionStart, 'startedBy'> {
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
  readonly work: Pick<Work, 'content' | 'by'>
}

/** Routes with `needsDaemon` are not called without a daemon. */
export function requireOperate({ operate }: Pick<RouteContext, 'operate'>): DaemonOperations {
  if (operate !== undefined) return operate
  throw new HttpProblem(409, 'This needs a daemon, and none is running. Start one with "cadre up".')
}

/**
 * Starts a session once per key. A repeated request finds the session that the first one started. Rejects a key that another person has used, or
 * that was used for other work, so that nobody accidentally resumes another session. Returns the session's id.
 */
export function startOnce(context: RouteContext, caller: Caller, request: StartOnce): Promise<string> {
  const { key, ...wanted } = request
  const id = key === undefined ? sessionIds.session(wanted.agent) : idOf(key, wanted.agent)
  return runInOrder([context.home.path, 'start', id], () => start(context, caller, { ...wanted, id }))
}

type Wanted = Omit<StartOnce, 'key'> & { readonly id: string }

async function start(context: RouteContext, caller: Caller, wanted: Wanted): Promise<string> {
  const { id } = wanted
  const { by } = caller
  const { sessions, engine, note, home, workspace: own } = requireOperate(context).daemon
  const known = await engine.read(id)
  if (known !== undefined) {
    const { work, agent, parent, startedBy, controls } = known.spec
    const isRepeated =
      parent === undefined &&
      startedBy === starterOf(caller) &&
      work.content === wanted.work.content &&
      isSame(agent.name, wanted.agent) &&
      // A request for a read-only session must not find one that can write.
      (controls?.readOnly ?? false) === (wanted.controls?.readOnly ?? false)
    if (isRepeated) return id
    throw new HttpProblem(
      409,
      `This Idempotency-Key was used for other work: session ${id} exists. Send another key.`,
      { code: 'usage' },
    )
  }
  rejectForeign(wanted, { home, own })
  const isQueued = (await sessions.state(id)).kind !== 'absent'
  await sessions.start({ ...wanted, startedBy: starterOf(caller) })
  if (!isQueued)
    note({ type: 'session.requested', message: `${by} started ${id}.`, session: id, by, agent: wanted.agent })
  await untilRecorded(id, engine)
  return id
}

/** Usually the session starts immediately, and the client can read it. A queued session appears in the list later. */
const maxWaitMs = 2_000
const stepMs = 10

async function untilRecorded(id: string, engine: DaemonContext['engine']): Promise<void> {
  for (let waited = 0; waited < maxWaitMs; waited += stepMs) {
    if ((await engine.read(id)) !== undefined) return
    await pause(stepMs)
  }
}

/** A session file can come from elsewhere, and it names its own folders. */
function rejectForeign({ workspace, isolation }: Wanted, place: { home: Home; own: string }): void {
  const base = isolation?.kind === 'own' ? [isolation.base] : []
  for (const folder of [...(workspace === undefined ? [] : [workspace]), ...base])
    if (foreignWorkspaceReason(folder, place) !== undefined)
      throw new HttpProblem(
        403,
        `The folder ${folder} is neither in ${place.own} nor a workspace in this home. Use "cadre resume" or "cadre sessions fork" there.`,
        { code: 'policy' },
      )
}

/** The key itself, if it is a valid file name. */
function idOf(key: string, agent: string): string {
  if (isSessionName(key) && !/[.\s]$/.test(key)) return key
  return `${slugOf(agent)}-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
