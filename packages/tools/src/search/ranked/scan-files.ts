import { lstatSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { isInside, type Stamp, stampOf } from '@cadre/disk'
import type { LocateRipgrep } from '../locate-ripgrep.ts'
import { ripgrep, toDisplayPath } from '../ripgrep.ts'
import { walkFolder } from '../walk.ts'

/** A folder that is searched as a whole: a workspace, or a mount in it. */
export interface SearchRoot {
  /** Its real path. */
  readonly folder: string
  /** The prefix of its displayed paths: empty, or `memory/`. */
  readonly prefix: string
  /** Returns whether a file must be hidden, by its path below the folder. */
  readonly isHidden: (file: string) => boolean
}

export interface Scan {
  readonly files: ReadonlyMap<string, Stamp>
  /** The number of files that are too large to read. */
  readonly large: number
  /** True if there were too many files to read all. */
  readonly more: boolean
}

export interface ScanOptions {
  readonly locateRipgrep: LocateRipgrep
  /** The home, which is not part of the workspace's content. */
  readonly home?: string | undefined
  readonly max: number
  readonly maxFileSize: number
}

/** Returns the files in a folder that may be read and shown. Links are not followed. */
export async function scanFiles(root: SearchRoot, options: ScanOptions, signal: AbortSignal): Promise<Scan> {
  const { folder, isHidden } = root
  const { max, maxFileSize } = options
  const home = options.home !== undefined && !isInside(options.home, folder) ? options.home : undefined
  const names: string[] = []
  let more = false
  const take = (name: string) => {
    if (name === '' || isSecretName(name) || isHidden(name)) return true
    if (home !== undefined && isInside(home, path.join(folder, name))) return true
    if (names.length === max) more = true
    else names.push(name)
    return !more
  }
  const program = await options.locateRipgrep()
  if (program === undefined) {
    for await (const name of walkFolder(folder, '.', signal)) if (!take(name)) break
  } else {
    const args = ['--files', '--null', '--sort=path']
    const found = (name: string) => take(toDisplayPath(name))
    await ripgrep({ program, root: folder, folder, args, separator: '\0', take: found }, signal)
  }
  const files = new Map<string, Stamp>()
  let large = 0
  for (const [at, name] of names.entries()) {
    if (at % 500 === 499) await pause()
    signal.throwIfAborted()
    const stats = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) continue
    if (stats.size > maxFileSize) large++
    else files.set(name, stampOf(stats))
  }
  return { files, large, more }
}

const names =
  /(^|\/)(\.env(\.(?!example$|sample$|template$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|credentials|[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$|(^|\/)\.(ssh|aws|gnupg|kube)\//i

/** Files that usually contain keys. They are never indexed, because the index would be another copy of their words. */
function isSecretName(file: string): boolean {
  return names.test(file)
}
