import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** Returns the current branch of this folder, or the start of the commit id; undefined without a repository. Runs no program. */
export function branchOf(folder: string): string | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const head = headIn(path.join(at, '.git'))
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? head.slice(0, 8)
    if (at === path.dirname(at)) return undefined
  }
}

function headIn(git: string): string | undefined {
  try {
    const isFolder = statSync(git).isDirectory()
    const place = isFolder ? git : /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1]
    if (place === undefined) return undefined
    return readFileSync(path.resolve(path.dirname(git), place, 'HEAD'), 'utf8').trim()
  } catch {
    return undefined
  }
}
