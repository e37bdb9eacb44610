import type { ToolContext } from '@cadre/core'
import { createPlaces, type Places } from '@cadre/gate'
import { Refusal } from './refusal.ts'

/** A path that was found to be inside the workspace. Use `real`, never what the model wrote. */
export interface ConfinedPath {
  readonly real: string
  /** Relative to the workspace, with `/` between names; `.` for the workspace itself. */
  readonly shown: string
  /** The workspace's own real path. */
  readonly root: string
}

/** Why a path may not be written, in a sentence; `undefined` when it may. */
export type ProtectedPath = (path: Pick<ConfinedPath, 'real' | 'shown'>) => string | undefined

export interface ConfineRequest {
  /** As the model wrote it: relative to the workspace, or absolute. */
  readonly path: string
  readonly context: ToolContext
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
export function confined({ path, context, write }: ConfineRequest): ConfinedPath {
  const own = write?.own?.(context)
  const placed = (write?.places ?? anywhere).judge({
    path,
    workspace: context.workspace,
    write: write !== undefined,
    ...(own !== undefined && { own }),
  })
  if (placed.kind !== 'inside') throw new Refusal(placed.reason)
  const more = write?.protectedPath?.(placed)
  if (more !== undefined) throw new Refusal(more)
  return placed
}
