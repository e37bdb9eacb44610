import { CadreError } from '@cadre/core'
import { type Home, isDaemonRunning } from '@cadre/home'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { engineSettings } from './engine-settings.ts'

/**
 * Returns a sentence about where the sessions of a place are, with a space before it, if workers run the sessions of this home and no daemon
 * runs for it: then it may be the home of a worker, which has no session files. Empty otherwise.
 */
export async function daemonHint(io: Io, home: Home): Promise<string> {
  if (isDaemonRunning(home)) return ''
  const engine = await engineSettings(io, home).catch(() => undefined)
  if (engine === undefined) return ''
  return ` The sessions and approvals of place ${cleanLine(engine.place)} are in the home of its daemon. If "cadre up" runs on another machine, run this command there, or use the daemon's page.`
}

/** Adds the hint to an error that says that something does not exist. */
export async function withDaemonHint<T>(io: Io, home: Home, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CadreError) || error.code !== 'not_found') throw error
    const hint = await daemonHint(io, home)
    throw hint === '' ? error : new CadreError('not_found', `${error.message}${hint}`, { cause: error })
  }
}
