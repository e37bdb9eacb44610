import { type BigIntStats, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { namesIn } from '@cadre/disk'

/** One thing of the disk as it was. */
export type Kept =
  | {
      readonly kind: 'file'
      readonly mode: number
      /** The same as long as nobody has touched the file. */
      readonly mark: string
      /** Absent where it is too large to be kept: a change is then seen and cannot be undone. */
      readonly content?: Buffer
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'other' }

export interface Snapshot {
  /** What was asked for: existing or not. */
  readonly paths: readonly string[]
  /** Everything at and below these paths. */
  readonly kept: ReadonlyMap<string, Kept>
  /** The folders above them, and the links in their places. */
  readonly above: ReadonlyMap<string, Kept>
}

const mostEntries = 20_000
const mostBytes = 256_000_000
const largestFile = 64_000_000

// Between commands hardly anything changes: what was read once is read again only when its mark is another.
const contents = new Map<string, { readonly mark: string; readonly content: Buffer }>()

/** Looks at everything below some paths, up to `most` entries at each of them. `skip` leaves things out. */
export function takeSnapshot(
  paths: readonly string[],
  skip: (path: string) => boolean = () => false,
  most = mostEntries,
): Snapshot {
  const kept = new Map<string, Kept>()
  const above = new Map<string, Kept>()
  let bytes = 0
  for (const place of paths) {
    for (let folder = path.dirname(place); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
      if (above.has(folder)) break
      const found = lookAt(folder, 0)
      if (found?.kind === 'folder' || found?.kind === 'link') above.set(folder, found)
    }
    const waiting = [place]
    // Counted for each place: how much lies elsewhere must not decide what is compared here.
    const full = kept.size + most
    for (let at = waiting.pop(); at !== undefined && kept.size < full; at = waiting.pop()) {
      if (skip(at) || kept.has(at)) continue
      const found = lookAt(at, mostBytes - bytes)
      if (found === undefined) continue
      kept.set(at, found)
      if (found.kind === 'file') bytes += found.content?.length ?? 0
      if (found.kind === 'folder') for (const name of namesIn(at)) waiting.push(path.join(at, name))
    }
  }
  return { paths, kept, above }
}

/** Nothing where there is nothing. */
export function lookAt(place: string, room: number): Kept | undefined {
  const stats = statsAt(place)
  if (stats === undefined) return undefined
  const mode = Number(stats.mode & 0o7777n)
  if (stats.isDirectory()) return { kind: 'folder', mode }
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(place) }
  if (!stats.isFile()) return { kind: 'other' }
  const mark = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
  if (stats.size > BigInt(Math.min(room, largestFile))) return { kind: 'file', mode, mark }
  const known = contents.get(place)
  if (known?.mark === mark) return { kind: 'file', mode, mark, content: known.content }
  try {
    const content = readFileSync(place)
    remember(place, mark, content)
    return { kind: 'file', mode, mark, content }
  } catch {
    return { kind: 'file', mode, mark }
  }
}

let remembered = 0

function remember(place: string, mark: string, content: Buffer): void {
  if (remembered > mostBytes / 4) {
    contents.clear()
    remembered = 0
  }
  remembered += content.length
  contents.set(place, { mark, content })
}

function statsAt(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
