import { homedir } from 'node:os'
import { isInside } from '@cadre/files'
import type { Unreadable } from '../effects/denied-paths.ts'
import { hiddenFolders } from './bubblewrap-args.ts'
import { findMasks, type Mask } from './find-masks.ts'
import type { Sandbox } from './sandbox.ts'

/** What a command must not read. */
export type Hidden =
  | { readonly kind: 'found'; readonly masks: readonly Mask[]; readonly held: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string }

export interface HidingDeps {
  readonly sandbox: Sandbox
  readonly userHome?: string | undefined
  readonly unreadableIn?: ((workspace: string) => Unreadable | undefined) | undefined
}

/** Looks for it where it can be kept from the command: in the sandbox, and on a copy. Elsewhere a person was asked before. */
export async function findHidden(root: string, onCopy: boolean, deps: HidingDeps): Promise<Hidden> {
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
    'there is too much here to look through for what the policy says that nobody may read (paths.deny.read); remove what is built or downloaded, or have the patterns begin with a folder'
  return { kind: 'refused', reason }
}
