import { readdirSync } from 'node:fs'
import path from 'node:path'
import { protectedNames } from '../paths/protected-names.ts'

const deepest = 6
const mostFolders = 5_000
// What installers and builds put there is nobody's agent file, and there is too much of it.
const skipped = new Set(['.git', 'node_modules', '.cadre', 'target', '.venv', 'vendor'])
const firsts = new Set(protectedNames.map(({ names }) => names[0] as string))

/**
 * Protected names in the folders below a workspace. Not in it directly: those are known without looking. Large trees are
 * looked through only so far, the upper folders first.
 */
export function findNested(root: string): string[] {
  const found: string[] = []
  let level = [root]
  let seen = 0
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (++seen > mostFolders) return found
      for (const entry of entriesOf(folder)) {
        const at = path.join(folder, entry.name)
        if (folder !== root && firsts.has(entry.name)) found.push(...protectedAt(folder, entry.name))
        if (entry.isDirectory() && !skipped.has(entry.name) && !firsts.has(entry.name)) next.push(at)
      }
    }
    level = next
  }
  return found
}

function protectedAt(folder: string, first: string): string[] {
  return protectedNames
    .filter(({ names }) => names[0] === first)
    .map(({ names }) => path.join(folder, ...names))
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
