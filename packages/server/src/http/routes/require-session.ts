import type { StoredSession } from '@cadre/core'
import { isSessionName } from '@cadre/home'
import type { ApiContext } from '../api-context.ts'
import { HttpProblem } from '../problem.ts'

/** Reads a session, or throws 404. */
export async function requireSession({ sessions }: ApiContext, id: string): Promise<StoredSession> {
  const stored = isSessionName(id) ? await sessions.read(id) : undefined
  if (stored === undefined)
    throw new HttpProblem(404, `There is no session ${JSON.stringify(id)}.`, { code: 'not_found' })
  return stored
}
