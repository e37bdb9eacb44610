/** Stops a session in any process. Loaded on first use, because it needs the engine. */
import { isEndedStatus } from '@cadre/core'
import { requestCancel } from '@cadre/home'
import type { Sessions } from '@cadre/runtime'

export type Stopped =
  | { readonly kind: 'stopped' }
  /** Nothing to stop: it has ended, or no process runs it. */
  | { readonly kind: 'still' }
  | { readonly kind: 'unanswered'; readonly pid: number }

/** How long the process that runs the session may take to accept the request. */
const timeoutMs = 10_000

/** Like `cadre sessions cancel`. */
export async function stopSession(sessions: Sessions, id: string): Promise<Stopped> {
  const { spec, status } = await sessions.read(id)
  const isRunning = () => sessions.owner(spec.root) !== undefined
  if (isEndedStatus(status) || !isRunning()) return { kind: 'still' }
  const answer = await requestCancel(
    { home: sessions.home, session: id, isRunning },
    AbortSignal.timeout(timeoutMs),
  )
  if (answer === 'taken') return { kind: 'stopped' }
  const owner = sessions.owner(spec.root)
  return owner === undefined ? { kind: 'still' } : { kind: 'unanswered', pid: owner.pid }
}
