import { CadreError } from '@cadre/core'
import { openAuditLog } from '@cadre/gate'
import { type Home, runningProcess } from '@cadre/home'
import {
  type ApplyOptions,
  openCheckpoints,
  type UndoPlan,
  type UndoPlanResult,
  type UndoRequest,
  type UndoResult,
} from '@cadre/workspaces'
import type { Runtime } from './create-runtime.ts'
import { personName } from './person-name.ts'

/** Undoes and redoes turns for a person. */
export interface Undo {
  /** Plans an undo or redo. Rejects with `owned` while the session, or a call in the folder, is running. */
  plan(request: UndoRequest): Promise<Exclude<UndoPlanResult, { kind: 'busy' }>>
  /** Applies a plan and records it in the audit. Rejects as `plan` does. */
  apply(plan: UndoPlan, options?: Omit<ApplyOptions, 'by'>): Promise<Exclude<UndoResult, { kind: 'busy' }>>
}

export interface UndoOptions {
  readonly env: NodeJS.ProcessEnv
  readonly tell: (message: string) => void
  /** A runtime in this process that ran the turns. Default: the checkpoints of the home. */
  readonly runtime?: Pick<Runtime, 'checkpoints' | 'engine'> | undefined
}

export function openUndo(home: Home, { env, tell, runtime }: UndoOptions): Undo {
  const { plan, apply } = runtime?.checkpoints ?? openCheckpoints({ home })
  const by = personName(env) ?? 'a person'
  return {
    async plan(request) {
      await runtime?.engine.released()
      const planned = await plan(request)
      if (planned.kind === 'busy') throw new CadreError('owned', planned.reason)
      if (planned.kind === 'plan') requireIdle(home, planned.plan.session)
      return planned
    },
    async apply(wanted, options = {}) {
      await runtime?.engine.released()
      requireIdle(home, wanted.session)
      const applied = await apply(wanted, { ...options, by })
      if (applied.kind === 'busy') throw new CadreError('owned', applied.reason)
      if (applied.kind === 'applied') record(applied)
      return applied
    },
  }

  function record({
    plan: { direction, session, turn, folder, files },
    skipped,
  }: UndoResult & { kind: 'applied' }) {
    const log = openAuditLog({ home, tell, environment: env })
    log.append({
      at: new Date().toISOString(),
      type: direction === 'undo' ? 'turn.undone' : 'turn.redone',
      session,
      turn,
      folder,
      by,
      files: files.map(({ path }) => path),
      ...(skipped.length > 0 && { skipped: [...skipped] }),
    })
    log.close()
  }
}

function requireIdle(home: Home, session: string): void {
  const owner = runningProcess(home, session)
  if (owner === undefined) return
  throw new CadreError(
    'owned',
    `session ${session} is running in process ${owner.pid}. Wait for it to finish, or stop it with: cadre sessions cancel ${session}`,
  )
}
