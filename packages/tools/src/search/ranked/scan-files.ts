import { lstatSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { isInside, type Stamp, stampOf } from '@cadre/disk'
import type { LocateRipgrep } from '../locate-ripgrep.ts'
import { ripgrep, shownName } from '../ripgrep.ts'
import { walk } from '../walk.ts'

/** A folder that is searched as a whole: a workspace, or what is mounted in it. */
export interface SearchRoot {
  /** Its real path. */
  readonly folder: string
  /** What stands before its paths when they are shown: nothing, or `memory/`. */
  readonly prefix: string
  /** Whether a file, by its path below the folder, must not be shown. */
  readonly isHidden: (file: string) => boolean
}

export interface Scan {
  readonly files: ReadonlyMap<string, Stamp>
  /** Larger than what is worth reading. */
  readonly large: number
  /** Not looked at, because there are too many. */
  readonly more: boolean
}

export interface ScanOptions {
  readonly locateRipgrep: LocateRipgrep
  /** What is in the home is none of the workspace's content. */
  readonly home?: string | undefined
  readonly most: number
  readonly largest: number
}

/** The files of a folder that may be read and shown, as they are now. Links are not followed. */
export async function scanFiles(root: SearchRoot, options: ScanOptions, signal: AbortSignal): Promise<Scan> {
  const { folder, isHidden } = root
  const { most, largest } = options
  const home = options.home !== undefined && !isInside(options.home, folder) ? options.home : undefined
  const names: string[] = []
  let more = false
  const take = (name: string) => {
    if (name === '' || isSecretName(name) || isHidden(name)) return true
    if (home !== undefined && isInside(home, path.join(folder, name))) return true
    if (names.length === most) more = true
    else names.push(name)
    return !more
  }
  const program = await options.locateRipgrep()
  if (program === undefined) {
    for await (const name of walk(folder, '.', signal)) if (!take(name)) break
  } else {
    const args = ['--files', '--null', '--sort=path']
    const found = (name: string) => take(shownName(name))
    await ripgrep({ program, root: folder, folder, args, separator: '\0', take: found }, signal)
  }
  const files = new Map<string, Stamp>()
  let large = 0
  for (const [at, name] of names.entries()) {
    if (at % 500 === 499) await pause()
    signal.throwIfAborted()
    const stats = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) continue
    if (stats.size > largest) large++
    else files.set(name, stampOf(stats))
  }
  return { files, large, more }
}

const names =
  /(^|\/)(\.env(\.(?!example$|sample$|template$)[^/]*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)|credentials|[^/]*\.(pem|key|p12|pfx|jks|keystore|kdbx|asc|gpg))$|(^|\/)\.(ssh|aws|gnupg|kube)\//i

/** Files that usually hold keys. An index is one more place where their words would lie, so none of them gets in. */
function isSecretName(file: string): boolean {
  return names.test(file)
}
