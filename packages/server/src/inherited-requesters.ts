import { CadreError } from '@cadre/core'
import { startersOf } from '@cadre/gate'
import { unknownRequester } from '@cadre/home'
import type { DaemonContext } from './daemon-context.ts'

type Records = Pick<DaemonContext, 'engine' | 'home'>

/**
 * Returns the people behind work that other sessions caused: everyone who influenced those sessions. So nobody can influence a session
 * through another agent and then approve its calls.
 */
export async function inheritedRequesters(
  { engine, home }: Records,
  causes: Iterable<string>,
): Promise<string[]> {
  const names: string[] = []
  for (const session of new Set(causes)) {
    if (session === '') continue
    try {
      if ((await engine.read(session)) === undefined) continue
      names.push(...(await startersOf(session, { home, read: (id) => engine.read(id) })))
    } catch (error) {
      // A name that cannot be a session id is the name of a person.
      if (!(error instanceof CadreError && error.code === 'usage')) names.push(unknownRequester)
    }
  }
  return [...new Set(names)]
}
