import { CadreError, type StoredSession } from '@cadre/core'
import type { Sessions } from './open-sessions.ts'

/** Rejects a conversation that another process is running. */
export async function rejectIfRunning(
  { owner, fileOf, engine }: Sessions,
  { spec }: StoredSession,
): Promise<void> {
  await engine.released()
  const process = owner(spec.root)
  if (process === undefined) return
  const message = `session ${spec.root} is running in process ${process.pid} on ${process.host}. Wait for it to finish, or stop it with: cadre sessions cancel ${spec.root}`
  throw new CadreError('owned', message, { where: fileOf(spec.id) })
}
