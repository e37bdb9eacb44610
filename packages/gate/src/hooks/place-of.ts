import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Hook } from './hook.ts'

/** Where a hook is written, `path:line`, for people and for models: below the project without what is above it. */
export function placeOf(hook: Pick<Hook, 'path' | 'line'>, project: string): string {
  const shown =
    path.isAbsolute(hook.path) && isInside(project, hook.path) ? path.relative(project, hook.path) : hook.path
  return `${shown}:${hook.line}`
}
