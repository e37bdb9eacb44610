import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOnly, watchFolder } from '@cadre/disk'
import type { Home } from '../home/home.ts'

export interface CancelRequest {
  readonly home: Home
  readonly session: string
  /** Returns false if no process can answer. Called at intervals while waiting. */
  readonly isRunning?: () => boolean
}

/**
 * Asks the process that runs the session to cancel it, with a file in `storage/requests`. That process removes the file when it is done. If
 * no process has answered when `signal` fires, returns `unanswered` and removes the file.
 */
export async function requestCancel(
  request: CancelRequest,
  signal: AbortSignal,
): Promise<'taken' | 'unanswered'> {
  const { home, session, isRunning = () => true } = request
  const folder = home.folder('storage', 'requests')
  const file = join(folder, `${session}.cancel`)
  const draft = join(folder, `.${session}-${process.pid}.tmp`)
  // Created atomically, because the other process reads it immediately.
  writeFileSync(draft, `${JSON.stringify({ session, at: new Date().toISOString(), by: process.pid })}\n`, {
    mode: ownerOnly,
  })
  renameSync(draft, file)
  const answer = await new Promise<'taken' | 'unanswered'>((resolve) => {
    const end = (answered: 'taken' | 'unanswered') => {
      watch.close()
      signal.removeEventListener('abort', giveUp)
      resolve(answered)
    }
    const giveUp = () => end('unanswered')
    const look = () => {
      if (!existsSync(file)) end('taken')
      else if (!isRunning()) end('unanswered')
    }
    // The caller waits for this, so it keeps the process alive.
    const watch = watchFolder(folder, look, { every: 250, persistent: true })
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    else look()
  })
  if (answer === 'unanswered') rmSync(file, { force: true })
  return answer
}
