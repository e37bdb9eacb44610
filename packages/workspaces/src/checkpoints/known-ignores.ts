import { hash } from 'node:crypto'
import path from 'node:path'
import { isSameStamp, stampOf, statsAt } from '@cadre/disk'
import type { Scan } from './scan-folder.ts'

interface Answer {
  readonly names: readonly string[]
  /** Of the scan that git was asked after. Without one, git is asked again. */
  readonly seal: string | undefined
}

/**
 * Scans a folder and leaves out what git ignores. Starts git only if the answer can be another one: a name in the folder, an ignore
 * file or a list of excludes is not as it was when git was last asked.
 */
export class KnownIgnores {
  #answer: Answer | undefined

  async scan(
    excludes: readonly string[],
    ask: () => Promise<readonly string[]>,
    scan: (ignored: readonly string[]) => Promise<Scan>,
  ): Promise<Scan> {
    const known = this.#answer
    if (known === undefined) {
      const names = await ask()
      this.#answer = { names, seal: undefined }
      return scan(names)
    }
    const found = await scan(known.names)
    const seal = sealOf(found, excludes)
    if (seal !== undefined && seal === known.seal) return found
    const names = await ask()
    this.#answer = { names, seal }
    const isSame = names.length === known.names.length && names.every((name, i) => name === known.names[i])
    return isSame ? found : scan(names)
  }
}

/** Everything that git's answer depends on; nothing if an ignore file has just changed, and so could change again unseen. */
function sealOf({ found }: Scan, excludes: readonly string[]): string | undefined {
  const now = Date.now()
  const stamps = excludes.map((file) => stampOf(statsAt(file)))
  const names: string[] = []
  for (const [name, { kind, stamp }] of found) {
    names.push(`${kind} ${name}`)
    if (path.posix.basename(name) === '.gitignore') stamps.push(stamp)
  }
  if (!stamps.every((stamp) => isSameStamp(stamp, now, stamp))) return undefined
  return hash('sha1', [...names, ...stamps.map(({ is }) => is)].join('\0'))
}
