import { hash, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { git, ownerOnly } from '@cadre/disk'
import type { PathStats } from './path-stats.ts'

/** A file, with a check that certainly shows its content. */
export interface IndexedFile {
  readonly path: string
  readonly look: PathStats
}

/** git compares whole seconds. If a file was older than this when checked, every later change is detected. */
export const minFileAgeMs = 2_000

const settings = [
  'core.trustctime=true',
  'core.checkStat=default',
  'core.fileMode=true',
  'core.symlinks=true',
  'core.ignoreStat=false',
  'core.preloadIndex=true',
  'core.untrackedCache=false',
]

/**
 * A git index that Cadre writes from its own checks, so that git can report which files have other times, sizes or owners
 * now. git needs a fifth of the CPU that Node needs. Neither the contents nor the index of the project's repository are
 * used.
 */
export class StatIndex {
  readonly #file: string
  readonly #gitDir: string
  readonly #top: string
  #entries: ReadonlyMap<string, PathStats> = new Map()
  /** Only in this index, never in the folder: git reports it as deleted, which proves that it has read this index. */
  readonly #sentinel = `.cadre-${randomUUID()}`

  /** `file`: the index, used only by this object. */
  constructor({ file, gitDir, top }: { file: string; gitDir: string; top: string }) {
    this.#file = file
    this.#gitDir = gitDir
    this.#top = top
  }

  get entries(): ReadonlyMap<string, PathStats> {
    return this.#entries
  }

  /** Writes the index. Each file must have been unchanged for `minFileAgeMs` when it was checked. */
  write(files: readonly IndexedFile[], isSha256: boolean): void {
    const rows = files.map(({ path, look }) => ({ name: Buffer.from(path), look }))
    rows.push({ name: Buffer.from(this.#sentinel), look: nothing })
    rows.sort((a, b) => Buffer.compare(a.name, b.name))
    const oid = isSha256 ? 32 : 20
    const sizes = rows.map(({ name }) => (62 - 20 + oid + name.length + 8) & ~7)
    const body = Buffer.alloc(12 + sizes.reduce((sum, size) => sum + size, 0))
    body.write('DIRC', 'latin1')
    body.writeUInt32BE(2, 4)
    body.writeUInt32BE(rows.length, 8)
    let at = 12
    for (const [row, { name, look }] of rows.entries()) {
      const numbers = [
        Math.floor(look.ctimeMs / 1000),
        0,
        Math.floor(look.mtimeMs / 1000),
        0,
        0,
        look.ino,
        look.kind === 'link' ? 0o120000 : (look.mode & 0o100) !== 0 ? 0o100755 : 0o100644,
        look.uid,
        look.gid,
        look.size,
      ]
      for (const [index, value] of numbers.entries())
        body.writeUInt32BE((value % 2 ** 32) >>> 0, at + index * 4)
      // git needs no content hash, only a non-empty value.
      body.fill(1, at + 40, at + 40 + oid)
      body.writeUInt16BE(Math.min(name.length, 0xfff), at + 40 + oid)
      name.copy(body, at + 42 + oid)
      at += sizes[row] as number
    }
    const end = Buffer.from(hash(isSha256 ? 'sha256' : 'sha1', body, 'hex'), 'hex')
    writeFileSync(this.#file, Buffer.concat([body, end]), { mode: ownerOnly })
    this.#entries = new Map(files.map(({ path, look }) => [path, look]))
  }

  /** Returns the check of each file that certainly has not changed since. Undefined if git cannot tell. */
  async unchanged(): Promise<ReadonlyMap<string, PathStats> | undefined> {
    if (this.#entries.size === 0) return undefined
    const request = { cwd: this.#top, gitDir: this.#gitDir, workTree: this.#top, index: this.#file, settings }
    const listed = await git(['diff-files', '-z', '--name-only'], request).catch(() => '')
    const changed = new Set(listed.split('\0'))
    if (!changed.has(this.#sentinel)) return undefined
    const same = new Map(this.#entries)
    for (const name of changed) same.delete(name)
    return same
  }
}

const nothing: PathStats = {
  kind: 'file',
  mode: 0,
  size: 0,
  stamp: { is: 'missing', changed: 0 },
  ino: 0,
  uid: 0,
  gid: 0,
  mtimeMs: 0,
  ctimeMs: 0,
}
