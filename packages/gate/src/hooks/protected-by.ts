import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'

/**
 * Why somebody else than the administrator could have written this file; nothing when nobody could. Unlike a policy, which
 * can only forbid, a hook is a program: what anybody may write there must not be run for everybody.
 */
export function weaknessOf(file: string, owner: number): string | undefined {
  if (process.platform === 'win32') return undefined
  try {
    const real = realpathSync(file)
    for (const place of new Set([real, path.dirname(real), realpathSync(path.dirname(file))])) {
      const { uid, gid, mode } = statSync(place)
      if (uid !== owner) return `${place} belongs to user ${uid}`
      if ((mode & 0o002) !== 0) return `${place} can be written by anybody`
      if ((mode & 0o020) !== 0 && gid !== 0) return `${place} can be written by group ${gid}`
    }
    return undefined
  } catch (error) {
    return `it cannot be seen who may change it: ${messageOf(error)}`
  }
}
