import { type BigIntStats, lstatSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { namesIn } from '@cadre/disk'

/** The recorded state of one path. */
export type RecordedState =
  | {
      readonly kind: 'file'
      readonly mode: number
      /** Unchanged as long as the file is. */
      readonly mark: string
      /** Absent if the file is too large to keep: a change is then detected, but cannot be undone. */
      readonly content?: Buffer
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number }
  | { readonly kind: 'other' }

export interface Snapshot {
  /** The requested paths, existing or not. */
  readonly paths: readonly string[]
  /** Everything at and below these paths. */
  readonly kept: ReadonlyMap<string, RecordedState>
  /** The folders above them, and links in their place. */
  readonly above: ReadonlyMap<string, RecordedState>
}

const maxEntries = 20_000
const maxBytes = 256_000_000
const maxFileBytes = 64_000_000

// Little changes between commands, so content is read again only if its mark differs.
const contents = new Map<string, { readonly mark: string; readonly content: Buffer }>()

/** Records everything below some paths, up to `most` entries for each. `skip` excludes paths. */
export function takeSnapshot(
  paths: readonly string[],
  skip: (path: string) => boolean = () => false,
  max = maxEntries,
): Snapshot {
  const kept = new Map<string, RecordedState>()
  const above = new Map<string, RecordedState>()
  let bytes = 0
  for (const place of paths) {
    for (let folder = path.dirname(place); path.dirname(folder) !== folder; folder = path.dirname(folder)) {
      if (above.has(folder)) break
      const found = readState(folder, 0)
      if (found?.kind === 'folder' || found?.kind === 'link') above.set(folder, found)
    }
    const waiting = [place]
    // Counted per path, so that the size of one does not affect the others.
    const full = kept.size + max
    for (let at = waiting.pop(); at !== undefined && kept.size < full; at = waiting.pop()) {
      if (skip(at) || kept.has(at)) continue
      const found = readState(at, maxBytes - bytes)
      if (found === undefined) continue
      kept.set(at, found)
      if (found.kind === 'file') bytes += found.content?.length ?? 0
      if (found.kind === 'folder') for (const name of namesIn(at)) waiting.push(path.join(at, name))
    }
  }
  return { paths, kept, above }
}

/** Returns undefined if nothing exists. */
export function readState(place: string, room: number): RecordedState | undefined {
  const stats = statsAt(place)
  if (stats === undefined) return undefined
  const mode = Number(stats.mode & 0o7777n)
  if (stats.isDirectory()) return { kind: 'folder', mode }
  if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(place) }
  if (!stats.isFile()) return { kind: 'other' }
  const mark = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
  if (stats.size > BigInt(Math.min(room, maxFileBytes))) return { kind: 'file', mode, mark }
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

let cachedBytes = 0

function remember(place: string, mark: string, content: Buffer): void {
  if (cachedBytes > maxBytes / 4) {
    contents.clear()
    cachedBytes = 0
  }
  cachedBytes += content.length
  contents.set(place, { mark, content })
}

function statsAt(place: string): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
