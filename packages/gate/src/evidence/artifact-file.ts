import { lstatSync, readFileSync, unlinkSync } from 'node:fs'
import { rememberWritten } from '@cadre/home'

const mostBytes = 4 * 1_024 * 1_024

/** The text of an artifact; nothing when there is none, or something that is no file of a sensible size. */
export function readArtifact(place: string): string | undefined {
  try {
    const stats = lstatSync(place)
    return stats.isFile() && stats.size <= mostBytes ? readFileSync(place, 'utf8') : undefined
  } catch {
    // Not there, or not to be read: no evidence either way.
    return undefined
  }
}

/** Removes what an earlier run has left behind. What cannot be removed is never taken for evidence either. */
export function clearArtifact(place: string): void {
  try {
    if (!lstatSync(place).isFile()) return
    unlinkSync(place)
    rememberWritten(place, undefined)
  } catch {
    // Nothing is there, which is how it should be.
  }
}
