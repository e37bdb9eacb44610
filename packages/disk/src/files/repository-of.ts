import { existsSync } from 'node:fs'
import path from 'node:path'

/** The nearest folder, from this one upward, that is a git repository. */
export function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (isRepository(at)) return at
    if (path.dirname(at) === at) return undefined
  }
}

export function isRepository(folder: string): boolean {
  return existsSync(path.join(folder, '.git'))
}
