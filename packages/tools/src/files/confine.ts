import path from 'node:path'
import type { ToolContext } from '@cadre/core'
import { createPlaces, type Mount, type Places } from '@cadre/gate'
import { Refusal } from '../refusal.ts'

/** A path that was found to be inside the workspace. Use `real`, never what the model wrote. */
export interface ConfinedPath {
  readonly real: string
  /** Relative to the workspace, with `/` between names; `.` for the workspace itself. */
  readonly shown: string
  /** The workspace's own real path. */
  readonly root: string
  /** Set when it lies in what agents read by this name in every workspace, and not in the workspace itself. */
  readonly mount?: Mount
}

/** Why a path may not be written, in a sentence; `undefined` when it may. */
export type ProtectedPath = (path: Pick<ConfinedPath, 'real' | 'shown'>) => string | undefined

export interface ConfineRequest {
  /** As the model wrote it: relative to the workspace, or absolute. */
  readonly path: string
  readonly context: ToolContext
  /** Whoever reads what does not lie in the workspace says where that is: without it, paths lead where the system says. */
  readonly places?: Pick<Places, 'judge'> | undefined
  /** Whoever writes says by which rules. */
  readonly write?: WriteRules
}

/** What may be written. */
export interface WriteRules {
  readonly places: Places
  /** More that may not be; the places always count. */
  readonly protectedPath?: ProtectedPath | undefined
  /** A protected path that whoever calls may write all the same: its own artifact, relative to the workspace. */
  readonly own?: ((context: ToolContext) => string | undefined) | undefined
}

// Reading knows no protected paths, so any places will do.
const anywhere = createPlaces()

/** Where a path really leads. Everything but a usable one ends the tool's work. */
export function confined({ path: given, context, places, write }: ConfineRequest): ConfinedPath {
  const own = write?.own?.(context)
  const placed = (write?.places ?? places ?? anywhere).judge({
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

/** Real path of what is shown by this path, when `place` was found there. */
export function realOf({ root, mount }: ConfinedPath, shown: string): string {
  return mount === undefined
    ? path.join(root, shown)
    : path.join(mount.folder, shown.slice(mount.name.length))
}

/** Whether what is shown by this path must not be: by where it is, and by where a rule about the workspace would look for it. */
export function isKept(
  place: ConfinedPath,
  shown: string,
  isHidden: ((real: string) => boolean) | undefined,
): boolean {
  if (isHidden === undefined) return false
  return (
    isHidden(realOf(place, shown)) || (place.mount !== undefined && isHidden(path.join(place.root, shown)))
  )
}
