import path from 'node:path'
import { isSameStamp, type Repository, stampOf, statsAt, userIgnores } from '@cadre/disk'
import { FolderLists } from './folder-lists.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'
import type { ObjectStore } from './object-store.ts'
import type { PathStats } from './path-stats.ts'
import { type Scan, type ScanLimits, scanFolder } from './scan-folder.ts'
import { minFileAgeMs, StatIndex } from './stat-index.ts'

export interface FolderScannerOptions {
  readonly top: string
  /** The home, which is not part of the folder. */
  readonly without: string
  readonly repository: Repository | undefined
  readonly objects: ObjectStore
  /** The index file of this process. */
  readonly index: string
  readonly limits: ScanLimits
  /** Up to this many files are checked without git. A higher number writes the index less often, but makes scans slower. */
  readonly few?: number
}

/**
 * Scans a folder. The result is the same as that of a fresh scan, but later scans are cheaper: unchanged folders are not
 * read again, and git reports which files have not changed.
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

  /** The number of files that Cadre itself checked in the last scan. */
  get looked(): number {
    return this.#looked
  }

  /** `picture`: the state of the folder at the last scan. */
  async scan(picture: FolderSnapshot): Promise<Scan> {
    const seen = Date.now()
    const excludes = await this.#excludes()
    const unchanged = this.#isIndexUseless ? undefined : await this.#index.unchanged()
    const walk = (ignored: readonly string[]) => this.#walk(ignored, unchanged, picture)
    const before = this.#ignored
    const names = before?.names ?? (await this.#options.objects.ignored(excludes))
    let scan = await walk(names)
    const key = this.#keyOf(excludes, scan.found, seen)
    if (before === undefined || before.key !== key) {
      // After the key: if the rules change in between, the next scan has another key.
      const now = await this.#options.objects.ignored(excludes)
      if (now.join('\0') !== names.join('\0')) scan = await walk(now)
      // Rules that had just changed may have changed again unnoticed.
      this.#ignored = key === undefined ? undefined : { names: now, key }
    }
    if (unchanged !== undefined) this.#isIndexUseless ||= this.#isMistaken(unchanged, scan.found)
    return scan
  }

  /** After a scan: writes an index if it would make the next scan much cheaper. */
  prepareNext(picture: FolderSnapshot): void {
    const { few = 500, objects } = this.#options
    if (this.#isIndexUseless || this.#looked <= few) return
    const files = picture.indexable(minFileAgeMs)
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
    unchanged: ReadonlyMap<string, PathStats> | undefined,
    picture: FolderSnapshot,
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

  /** Identifies the rules for ignored files. Undefined if they changed so recently that another change might go unnoticed. */
  #keyOf(
    excludes: readonly string[],
    found: ReadonlyMap<string, PathStats>,
    seen: number,
  ): string | undefined {
    const stamps = excludes.map((file) => stampOf(statsAt(file)))
    for (const [name, { stamp }] of found) if (isIgnoreFile(name)) stamps.push(stamp)
    if (stamps.some((stamp) => !isSameStamp(stamp, seen, stamp))) return undefined
    return [this.#lists.version, ...stamps.map(({ is }) => is)].join('\n')
  }

  /** True if git reports most unchanged files as changed: it compares a value that Node does not report exactly. */
  #isMistaken(unchanged: ReadonlyMap<string, PathStats>, found: ReadonlyMap<string, PathStats>): boolean {
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
