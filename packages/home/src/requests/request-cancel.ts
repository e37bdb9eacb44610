import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOnly, watchFolder } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'

export interface CancelRequest {
  readonly home: Home
  readonly session: string
  /** False when there is nobody left who could answer: asked now and then while waiting. */
  readonly isRunning?: () => boolean
}

/**
 * Asks whichever process runs the session to cancel it: a file in `storage/requests`, which that process takes away when it
 * has done so. `unanswered` when nobody did until `signal`; the file is then taken back.
 */
export async function requestCancel(
  request: CancelRequest,
  signal: AbortSignal,
): Promise<'taken' | 'unanswered'> {
  const { home, session, isRunning = () => true } = request
  const folder = home.folder('storage', 'requests')
  const file = join(folder, `${session}.cancel`)
  const draft = join(folder, `.${session}-${process.pid}.tmp`)
  // It appears whole: whoever watches the folder reads it at once.
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
    // The one who asked waits for this, so the waiting keeps its process alive.
    const watch = watchFolder(folder, look, { every: 250, persistent: true })
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    else look()
  })
  if (answer === 'unanswered') rmSync(file, { force: true })
  return answer
}
