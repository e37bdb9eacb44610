import { homedir } from 'node:os'
import { isInside } from '@cadre/disk'
import type { Unreadable, UnwritablePaths } from '../effects/denied-paths.ts'
import { hiddenFolders } from './bubblewrap-args.ts'
import { findMasks, type MaskedPath } from './find-masks.ts'
import type { Sandbox } from './sandbox.ts'

/** Paths that a command must not read. */
export type HiddenPaths =
  | { readonly kind: 'found'; readonly masks: readonly MaskedPath[]; readonly held: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

export interface HidingOptions {
  readonly sandbox: Sandbox
  readonly userHome?: string | undefined
  readonly unreadableIn?: ((workspace: string) => Unreadable | undefined) | undefined
}

/** Finds the paths to hide, if the command runs in a sandbox or on a copy. Otherwise a person was asked before. */
export async function findHiddenPaths(
  root: string,
  onCopy: boolean,
  deps: HidingOptions,
): Promise<HiddenPaths> {
  const isEnclosed = deps.sandbox.kind !== 'none'
  const unreadable = isEnclosed || onCopy ? deps.unreadableIn?.(root) : undefined
  if (unreadable === undefined) return { kind: 'found', masks: [], held: [] }
  const away = hiddenFolders(deps.userHome ?? homedir())
  const tops = unreadable.tops.filter(
    (top) => isInside(root, top) || (isEnclosed && !away.some((folder) => isInside(folder, top))),
  )
  const found = await findMasks(root, { ...unreadable, tops })
  if (found.kind === 'found') return found
  const reason =
    'the workspace has too many files for Cadre to find the ones that the policy protects from reading. Remove build output and downloads, or start each pattern in paths.deny.read with a folder'
  return { kind: 'refused', reason }
}

/** Paths that a command must not change because of the policy. */
export type ReadOnlyPaths =
  | {
      readonly kind: 'found'
      /** Files and folders of the workspace, with links resolved. */
      readonly places: readonly string[]
      /** Folders that must not be moved. */
      readonly held: readonly string[]
      /** The same paths as named, including links. */
      readonly named: readonly string[]
    }
  | { readonly kind: 'refused'; readonly reason: string }

/** Finds them in the workspace: a sandbox prevents writing elsewhere. Skips the home, which is protected as a whole. */
export async function findReadOnlyPaths(
  root: string,
  unwritable: UnwritablePaths | undefined,
  home: string | undefined,
): Promise<ReadOnlyPaths> {
  if (unwritable === undefined) return { kind: 'found', places: [], held: [], named: [] }
  const left = home === undefined || isInside(home, root) ? undefined : home
  const isOurs = (place: string) => isInside(root, place) && (left === undefined || !isInside(left, place))
  const found = await findMasks(root, {
    tops: unwritable.tops.filter(isOurs),
    match: (place) => (isOurs(place) ? unwritable.match(place) : undefined),
  })
  if (found.kind === 'found') {
    const places = found.masks.map(({ place }) => place).filter(isOurs)
    return { kind: 'found', places, held: found.held, named: found.named }
  }
  const reason =
    'the workspace has too many files for Cadre to find the ones that the policy protects from writing. Remove build output and downloads, or start each pattern in paths.deny.write with a folder'
  return { kind: 'refused', reason }
}
