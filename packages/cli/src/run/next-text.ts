import { type Home, isAttended } from '@cadre/home'
import { repeatedFlags } from './repeated-flags.ts'

/** How a session goes on whose question was answered: by itself where a daemon watches. */
export function nextText(home: Home, root: string, flags: { readonly home?: string | undefined }): string {
  return isAttended(home)
    ? `The daemon resumes ${root}.`
    : `Resume with: cadre resume ${root}${repeatedFlags(flags)}`
}
