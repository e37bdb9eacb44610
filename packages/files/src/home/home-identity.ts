import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'

/** One folder on one machine: another folder at the same path has another identity. */
export interface HomeIdentity {
  readonly path: string
  readonly identity: string
}

/**
 * Nothing when there is no such folder. By the place where the home was found: a link in a repository does not make another
 * project's home its own.
 */
export function identityOfHome(home: string): HomeIdentity | undefined {
  try {
    const at = path.join(realpathSync(path.dirname(path.resolve(home))), path.basename(home))
    const { ino, dev, birthtimeNs } = statSync(home, { bigint: true })
    // Device numbers change between starts of a machine; they are needed only where nothing tells when a folder was made.
    const identity = birthtimeNs > 0n ? `${ino} born ${birthtimeNs}` : `${ino} on ${dev}`
    return { path: at, identity }
  } catch {
    return undefined
  }
}
