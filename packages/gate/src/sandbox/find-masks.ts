import { type Dirent, realpathSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { isInside } from '@cadre/files'
import type { Unreadable } from '../effects/denied-paths.ts'

/** Something that is there and is covered, so that a command cannot read it. */
export interface Mask {
  readonly place: string
  readonly isFolder: boolean
}

export type Masks =
  | {
      readonly kind: 'found'
      readonly masks: readonly Mask[]
      /** Folders of the workspace that have to stay where they are: moved, they would hold what nothing is said about. */
      readonly held: readonly string[]
    }
  | { readonly kind: 'too_many' }

export interface MaskLimits {
  /** Files and folders that are looked at. */
  readonly entries: number
  /** What bubblewrap can be given. */
  readonly masks: number
}

const defaultLimits: MaskLimits = { entries: 200_000, masks: 1_000 }

/** Looks for what a command in `root` must not read. Folders in which there can be nothing of the kind are not looked into. */
export async function findMasks(
  root: string,
  { tops, fit }: Unreadable,
  limits: MaskLimits = defaultLimits,
): Promise<Masks> {
  const masks = new Map<string, Mask>()
  const waiting: string[] = []
  const consider = (place: string, entry: Pick<Dirent, 'isDirectory' | 'isSymbolicLink'>) => {
    const found = fit(place)
    if (found === 'within') cover(place, entry.isSymbolicLink())
    else if (found === 'above' && entry.isDirectory()) waiting.push(place)
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
  const outer = [...masks.values()].filter(
    ({ place }) =>
      ![...masks.values()].some(
        (other) => other.isFolder && other.place !== place && isInside(other.place, place),
      ),
  )
  const held = new Set(
    outer.flatMap(({ place }) => (isInside(root, place) ? heldAbove(place, root, fit) : [])),
  )
  return outer.length + held.size > limits.masks
    ? { kind: 'too_many' }
    : { kind: 'found', masks: outer, held: [...held] }
}

/** Of a link what it leads to. */
function maskAt(place: string, isLink: boolean): Mask | undefined {
  try {
    const real = isLink ? realpathSync(place) : place
    return { place: real, isFolder: statSync(real).isDirectory() }
  } catch {
    // It leads nowhere, or is gone by now.
    return undefined
  }
}

/** The folders on the way that could be moved so that what is said about the file would not be about it any more. */
function heldAbove(place: string, root: string, fit: Unreadable['fit']): string[] {
  const names = path.relative(root, place).split(path.sep)
  return names.slice(0, -1).flatMap((_, at) => {
    const below = names.slice(at + 1)
    const moved = [['\u0001'], ['\u0001', '\u0001']].map((above) => path.join(root, ...above, ...below))
    return moved.every((elsewhere) => fit(elsewhere) === 'within')
      ? []
      : [path.join(root, ...names.slice(0, at + 1))]
  })
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    // Git's objects are named after their content, and there are many.
    return path.basename(folder) === '.git' ? entries.filter(({ name }) => name !== 'objects') : entries
  } catch {
    // What we may not look into, commands may not either.
    return []
  }
}
