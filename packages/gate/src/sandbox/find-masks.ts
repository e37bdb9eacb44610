import { type Dirent, lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { DeniedFiles } from '../effects/denied-paths.ts'
import { fileIdentity } from '../paths/linked-from.ts'

/** An existing path that is covered, so that a command cannot read it. */
export interface MaskedPath {
  readonly place: string
  readonly isFolder: boolean
}

export type MaskedPaths =
  | {
      readonly kind: 'found'
      readonly masks: readonly MaskedPath[]
      /** Workspace folders that must not be moved, because the patterns would no longer match their contents. */
      readonly held: readonly string[]
      /** Everything that matches, as named: links are not resolved. */
      readonly named: readonly string[]
    }
  | { readonly kind: 'too_many' }

export interface MaskLimits {
  /** The maximum number of files and folders to check. */
  readonly entries: number
  /** The maximum number of masks for bubblewrap. */
  readonly masks: number
}

const defaultLimits: MaskLimits = { entries: 200_000, masks: 1_000 }

/**
 * Finds what a command in `root` must not read, or write. Skips folders that cannot contain a match, unless such a file has
 * more than one name.
 */
export async function findMasks(
  root: string,
  { tops, match }: DeniedFiles,
  limits: MaskLimits = defaultLimits,
): Promise<MaskedPaths> {
  const masks = new Map<string, MaskedPath>()
  const named: string[] = []
  const waiting: string[] = []
  const consider = (place: string, entry: Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>) => {
    const found = match(place)
    if (found === 'within') {
      named.push(place)
      cover(place, entry.isSymbolicLink())
    } else if (found === 'above' && entry.isDirectory()) waiting.push(place)
  }
  const cover = (place: string, isLink: boolean) => {
    const mask = maskAt(place, isLink)
    if (mask !== undefined) masks.set(mask.place, mask)
  }

  for (const top of tops) {
    const stats = statSync(top, { throwIfNoEntry: false })
    if (stats !== undefined) consider(top, stats)
  }
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of await entriesOf(folder)) {
      if (++seen > limits.entries || masks.size > limits.masks) return { kind: 'too_many' }
      consider(path.join(folder, entry.name), entry)
    }
  }
  const others = await otherNames(root, [...masks.values()], limits)
  if (others === undefined) return { kind: 'too_many' }
  for (const place of others) masks.set(place, { place, isFolder: false })
  const outer = [...masks.values()].filter(
    ({ place }) =>
      ![...masks.values()].some(
        (other) => other.isFolder && other.place !== place && isInside(other.place, place),
      ),
  )
  const held = new Set(
    outer.flatMap(({ place }) => (isInside(root, place) ? foldersAbove(place, root, match) : [])),
  )
  return outer.length + held.size > limits.masks
    ? { kind: 'too_many' }
    : { kind: 'found', masks: outer, held: [...held], named }
}

/** Returns other workspace names of covered files, or undefined if there are too many files to search. */
async function otherNames(
  root: string,
  masks: readonly MaskedPath[],
  limits: MaskLimits,
): Promise<string[] | undefined> {
  const shared = new Set<string>()
  const known = new Set<string>()
  const covered = await eachFile(
    masks.map(({ place }) => place),
    limits,
    (place, stats) => {
      known.add(place)
      if (stats.nlink > 1) shared.add(fileIdentity(stats))
    },
  )
  if (!covered) return undefined
  const found: string[] = []
  if (shared.size === 0) return found
  const isWhole = await eachFile([root], limits, (place, stats) => {
    if (stats.nlink > 1 && shared.has(fileIdentity(stats)) && !known.has(place)) found.push(place)
  })
  return isWhole ? found : undefined
}

/** Visits every regular file at and below some paths. Returns false if there are too many. */
async function eachFile(
  places: readonly string[],
  { entries }: MaskLimits,
  take: (place: string, stats: Stats) => void,
): Promise<boolean> {
  const waiting = [...places]
  let seen = 0
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    if (++seen > entries) return false
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats?.isDirectory()) {
      const folder = place
      for (const { name } of await entriesOf(folder)) waiting.push(path.join(folder, name))
    } else if (stats?.isFile()) take(place, stats)
  }
  return true
}

/** For a link, masks its target. */
function maskAt(place: string, isLink: boolean): MaskedPath | undefined {
  try {
    const real = isLink ? realpathSync(place) : place
    return { place: real, isFolder: statSync(real).isDirectory() }
  } catch {
    // A dangling link, or deleted meanwhile.
    return undefined
  }
}

/** Returns the folders above a path whose renaming would make the patterns miss the file. */
function foldersAbove(place: string, root: string, match: DeniedFiles['match']): string[] {
  const names = path.relative(root, place).split(path.sep)
  return names.slice(0, -1).flatMap((_, at) => {
    const below = names.slice(at + 1)
    const moved = [['\u0001'], ['\u0001', '\u0001']].map((above) => path.join(root, ...above, ...below))
    return moved.every((elsewhere) => match(elsewhere) === 'within')
      ? []
      : [path.join(root, ...names.slice(0, at + 1))]
  })
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    // Git names its objects after their content, and there are many.
    return path.basename(folder) === '.git' ? entries.filter(({ name }) => name !== 'objects') : entries
  } catch {
    // Commands cannot read what Cadre cannot read.
    return []
  }
}
