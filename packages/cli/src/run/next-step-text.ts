import { type Home, isDaemonRunning } from '@cadre/home'
import { repeatedFlags } from './repeated-flags.ts'

/** How a session continues after its question was answered: automatically if a daemon is running. */
export function nextStepText(
  home: Home,
  root: string,
  flags: { readonly home?: string | undefined },
): string {
  return isDaemonRunning(home)
    ? `The daemon resumes ${root}.`
    : `Resume with: cadre resume ${root}${repeatedFlags(flags)}`
}
