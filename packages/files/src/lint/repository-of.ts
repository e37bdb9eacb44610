import { statSync } from 'node:fs'
import path from 'node:path'

/** The nearest folder upward that is under git. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isRepository(at)) return at
    if (path.dirname(at) === at) return undefined
  }
}

export function isRepository(folder: string): boolean {
  return statSync(path.join(folder, '.git'), { throwIfNoEntry: false }) !== undefined
}
