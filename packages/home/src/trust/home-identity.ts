import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/** Identifies a folder on one machine. Another folder at the same path has another identity. */
export interface HomeIdentity {
  readonly path: string
  readonly identity: string
}

/**
 * `undefined` when the folder does not exist. Links are not followed: a link in a repository must not take over another project's
 * home.
 */
export function readHomeIdentity(home: string): HomeIdentity | undefined {
  try {
    const at = path.join(realpathSync(path.dirname(path.resolve(home))), path.basename(home))
    const { ino, dev, birthtimeNs } = statSync(home, { bigint: true })
    // Device numbers change between reboots. They are used only when the creation time is unknown.
    const identity = birthtimeNs > 0n ? `${ino} born ${birthtimeNs}` : `${ino} on ${dev}`
    return { path: at, identity }
  } catch {
    return undefined
  }
}
