import { type Home, isDaemonRunning } from '@cadre/home'
import { readProjected } from '@cadre/journal'
import { cleanLine } from '../output/clean-text.ts'
import { repeatedFlags } from './repeated-flags.ts'

/** How a session continues after its question was answered: automatically if a daemon is running that uses its engine. */
export function nextStepText(
  home: Home,
  root: string,
  flags: { readonly home?: string | undefined },
): string {
  const place = placeOf(home, root)
  if (place !== undefined)
    return isDaemonRunning(home)
      ? `The daemon continues ${root} on a worker of place ${place}, unless it runs with --engine files.`
      : `"cadre up" continues ${root} on a worker of place ${place}.`
  return isDaemonRunning(home)
    ? `The daemon resumes ${root}.`
    : `Resume with: cadre resume ${root}${repeatedFlags(flags)}`
}

/** The place whose workers run a session, if its file shows one. */
function placeOf(home: Home, session: string): string | undefined {
  try {
    const place = readProjected(home, session)?.place
    return place === undefined ? undefined : cleanLine(place)
  } catch {
    return undefined
  }
}
