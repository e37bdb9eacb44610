import type { UnwritablePaths } from '../effects/denied-paths.ts'
import {
  findHiddenPaths,
  findReadOnlyPaths,
  type HiddenPaths,
  type HidingOptions,
  type ReadOnlyPaths,
} from './find-hidden-paths.ts'

/** What a policy denies in a workspace. */
export type DeniedInWorkspace =
  | {
      readonly kind: 'found'
      readonly hidden: Extract<HiddenPaths, { kind: 'found' }>
      readonly unchangeable: Extract<ReadOnlyPaths, { kind: 'found' }>
      /** When the unchangeable paths were searched. */
      readonly began: number
    }
  /** `reason`: a sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface FindDeniedOptions extends HidingOptions {
  readonly unwritableIn?: ((workspace: string) => UnwritablePaths | undefined) | undefined
}

/** Finds the paths that must not be read, and those that must not be changed. `home` is the real path of the Cadre home. */
export async function findDenied(
  root: string,
  deps: FindDeniedOptions,
  { home, onCopy = false }: { readonly home: string | undefined; readonly onCopy?: boolean },
): Promise<DeniedInWorkspace> {
  const hidden = await findHiddenPaths(root, onCopy, deps)
  if (hidden.kind === 'refused') return hidden
  const began = Date.now()
  const unchangeable = await findReadOnlyPaths(root, deps.unwritableIn?.(root), home)
  return unchangeable.kind === 'refused' ? unchangeable : { kind: 'found', hidden, unchangeable, began }
}
