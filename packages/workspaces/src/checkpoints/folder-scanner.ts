import path from 'node:path'
import { isSameStamp, type Repository, stampOf, statsAt, userIgnores } from '@cadre/disk'
import { FolderLists } from './folder-lists.ts'
import type { Look } from './look-at.ts'
import type { ObjectStore } from './object-store.ts'
import type { Picture } from './picture.ts'
import { type Scan, type ScanLimits, scanFolder } from './scan-folder.ts'
import { oldEnoughMs, StatIndex } from './stat-index.ts'

export interface FolderScannerOptions {
  readonly top: string
  /** The home, which is no part of the folder. */
  readonly without: string
  readonly repository: Repository | undefined
  readonly objects: ObjectStore
  /** The index file of this process. */
  readonly index: string
  readonly limits: ScanLimits
  /** So many files are looked at without git. A higher number makes the index rarer, and the looks longer. */
  readonly few?: number
}

/**
 * Looks at everything in a folder. The result is the same as that of a fresh scan, but a second look costs less: folders whose times are
 * the same are not read again, and git tells which files have not changed.
 */
export class FolderScanner {
  readonly #options: FolderScannerOptions
  readonly #lists = new FolderLists()
  readonly #index: StatIndex
  #ignored: { readonly names: readonly string[]; readonly key: string } | undefined
  #isIndexUseless = false
  #looked = 0

  constructor(options: FolderScannerOptions) {
    const { index: file, objects, top } = options
    this.#options = options
    this.#index = new StatIndex({ file, gitDir: objects.gitDir, top })
  }

  /** How many files Cadre looked at itself in the last scan. */
  get looked(): number {
    return this.#looked
  }

  /** `picture`: how the folder was at the last look. */
  async scan(picture: Picture): Promise<Scan> {
    const seen = Date.now()
    const excludes = await this.#excludes()
    const unchanged = this.#isIndexUseless ? undefined : await this.#index.unchanged()
    const walk = (ignored: readonly string[]) => this.#walk(ignored, unchanged, picture)
    const before = this.#ignored
    const names = before?.names ?? (await this.#options.objects.ignored(excludes))
    let scan = await walk(names)
    const key = this.#keyOf(excludes, scan.found, seen)
    if (before === undefined || before.key !== key) {
      // After the key: if the rules change in between, the next look has another key.
      const now = await this.#options.objects.ignored(excludes)
      if (now.join('\0') !== names.join('\0')) scan = await walk(now)
      // Rules that had just changed may have changed again, unseen.
      this.#ignored = key === undefined ? undefined : { names: now, key }
    }
    if (unchanged !== undefined) this.#isIndexUseless ||= this.#isMistaken(unchanged, scan.found)
    return scan
  }

  /** After a look: writes an index if it would spare the next look enough. */
  prepareNext(picture: Picture): void {
    const { few = 500, objects } = this.#options
    if (this.#isIndexUseless || this.#looked <= few) return
    const files = picture.indexable(oldEnoughMs)
    const isWorthIt =
      files.filter(({ path: name, look }) => this.#index.entries.get(name) !== look).length > few
    if (isWorthIt) this.#index.write(files, objects.isSha256)
  }

  async #excludes(): Promise<readonly string[]> {
    const { repository } = this.#options
    const all = [
      repository === undefined ? undefined : path.join(repository.commonDir, 'info', 'exclude'),
      await userIgnores(),
    ]
    return all.filter((file) => file !== undefined)
  }

  #walk(
    ignored: readonly string[],
    unchanged: ReadonlyMap<string, Look> | undefined,
    picture: Picture,
  ): Promise<Scan> {
    const { top, without, repository, limits } = this.#options
    this.#looked = 0
    return scanFolder({
      top,
      without,
      ignored,
      isUnversioned: repository === undefined,
      limits,
      lists: this.#lists,
      unchanged: (name) => {
        const look = unchanged?.get(name)
        // Otherwise the picture is newer than the index.
        if (look !== undefined && picture.lookOf(name) === look) return look
        this.#looked++
        return undefined
      },
    })
  }

  /** What decides which files git ignores. Undefined if it changed so late that it may change again without notice. */
  #keyOf(excludes: readonly string[], found: ReadonlyMap<string, Look>, seen: number): string | undefined {
    const stamps = excludes.map((file) => stampOf(statsAt(file)))
    for (const [name, { stamp }] of found) if (isIgnoreFile(name)) stamps.push(stamp)
    if (stamps.some((stamp) => !isSameStamp(stamp, seen, stamp))) return undefined
    return [this.#lists.version, ...stamps.map(({ is }) => is)].join('\n')
  }

  /** git calls most files changed that are not: it compares something that Node does not tell exactly. */
  #isMistaken(unchanged: ReadonlyMap<string, Look>, found: ReadonlyMap<string, Look>): boolean {
    const { entries } = this.#index
    if (unchanged.size >= entries.size / 2) return false
    let mistakes = 0
    for (const [name, { stamp }] of entries)
      if (!unchanged.has(name) && found.get(name)?.stamp.is === stamp.is) mistakes++
    return mistakes > entries.size / 2
  }
}

function isIgnoreFile(name: string): boolean {
  return name.endsWith('.gitignore') && (name.length === 10 || name.at(-11) === '/')
}
