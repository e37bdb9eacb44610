import { createRequire } from 'node:module'
import path from 'node:path'

/** The folder with the page's files, whether or not they have been built. */
export function pageFolder(): string {
  try {
    return path.join(
      path.dirname(createRequire(import.meta.url).resolve('@cadre/web/package.json')),
      'dist',
      'page',
    )
  } catch {
    return path.join('packages', 'web', 'dist', 'page')
  }
}
