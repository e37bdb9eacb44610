import path from 'node:path'
import type { ToolContext } from '@cadre/core'
import { createPathResolver, type Mount, type PathResolver } from '@cadre/gate'
import { Refusal } from '../refusal.ts'
import type { Documents } from './documents.ts'

/** A path inside the workspace. Use `real`, never the path that the model wrote. */
export interface ConfinedPath {
  readonly real: string
  /** Relative to the workspace, with `/`; `.` for the workspace itself. */
  readonly shown: string
  /** The real path of the workspace. */
  readonly root: string
  /** Set if the path is in a mount, not in the workspace. */
  readonly mount?: Mount
}

/** Returns why a path may not be written, as a sentence; `undefined` if it may. */
export type ProtectedPath = (path: Pick<ConfinedPath, 'real' | 'shown'>) => string | undefined

export interface ConfineRequest {
  /** As written by the model: relative to the workspace, or absolute. */
  readonly path: string
  readonly context: ToolContext
  /** Needed to read mounts: without it, paths resolve as the system does. */
  readonly places?: Pick<PathResolver, 'judge'> | undefined
  /** The rules for writing; absent for reading. */
  readonly write?: WriteRules
}

/** The rules for writing. */
export interface WriteRules {
  readonly places: PathResolver
  /** Additional protected paths; those of `places` always apply. */
  readonly protectedPath?: ProtectedPath | undefined
  /** A protected path that the caller may write anyway: its own artifact, relative to the workspace. */
  readonly own?: ((context: ToolContext) => string | undefined) | undefined
  /** The editor that runs Cadre, if it reads and writes files itself. */
  readonly documents?: Documents | undefined
}

// Protected paths do not matter for reading.
const unrestrictedWrites = createPathResolver()

/** Resolves a path. Throws if it is not allowed. */
export function confinePath({ path: given, context, places, write }: ConfineRequest): ConfinedPath {
  const own = write?.own?.(context)
  const placed = (write?.places ?? places ?? unrestrictedWrites).judge({
    path: given,
    workspace: context.workspace,
    write: write !== undefined,
    ...(own !== undefined && { own }),
  })
  if (placed.kind !== 'inside') throw new Refusal(placed.reason)
  const more = write?.protectedPath?.(placed)
  if (more !== undefined) throw new Refusal(more)
  return placed
}

/** Returns the real path for a displayed path, relative to the root or mount of `place`. */
function realOf({ root, mount }: ConfinedPath, shown: string): string {
  return mount === undefined
    ? path.join(root, shown)
    : path.join(mount.folder, shown.slice(mount.name.length))
}

/** True if a displayed path must be hidden: by its real path, or by the path that workspace rules would use. */
export function isHiddenPath(
  place: ConfinedPath,
  shown: string,
  isHidden: ((real: string) => boolean) | undefined,
): boolean {
  if (isHidden === undefined) return false
  return (
    isHidden(realOf(place, shown)) || (place.mount !== undefined && isHidden(path.join(place.root, shown)))
  )
}
