import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Hook } from './hook.ts'

/** Formats the place of a hook as `path:line`, relative to the project if it is inside. */
export function placeOf(hook: Pick<Hook, 'path' | 'line'>, project: string): string {
  const shown =
    path.isAbsolute(hook.path) && isInside(project, hook.path) ? path.relative(project, hook.path) : hook.path
  return `${shown}:${hook.line}`
}
