import path from 'node:path'
import { entriesIn } from '@cadre/disk'
import { protectedNames } from '../paths/protected-names.ts'
import { isRepositoryPart, looksLikeRepository } from '../paths/repository-parts.ts'

const maxDepth = 20
const maxFolders = 5_000
// Folders of installers and builds contain no agent files, and are large.
const skipped = new Set(['.git', 'node_modules', '.cadre', 'target', '.venv', 'vendor'])
const firstNames = new Set(protectedNames.map(({ names }) => names[0] as string))

/** Findings in the folders of a workspace. */
export interface NestedFindings {
  /** Protected names below the workspace. Excludes its top level, which needs no search. */
  readonly places: readonly string[]
  /** Folders that git treats as repositories although they are not named `.git`, including the workspace. */
  readonly bare: readonly string[]
  /** Files and folders with a name that can make a folder a repository. */
  readonly parts: readonly string[]
  /** False if the tree is too large and only its upper folders were searched. */
  readonly isWhole: boolean
}

/** Searches upper folders first, up to a limit. */
export function findNested(root: string): NestedFindings {
  const places: string[] = []
  const bare: string[] = []
  const parts: string[] = []
  let level = [root]
  let seen = 0
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (++seen > maxFolders) return { places, bare, parts, isWhole: false }
      const here = new Set<string>()
      for (const entry of entriesIn(folder)) {
        const { name } = entry
        if (folder !== root && firstNames.has(name)) places.push(...protectedAt(folder, name))
        if (isRepositoryPart(name)) {
          here.add(name.toLowerCase())
          parts.push(path.join(folder, name))
        }
        if (entry.isDirectory() && !skipped.has(name) && !firstNames.has(name))
          next.push(path.join(folder, name))
      }
      if (here.size > 1 && looksLikeRepository((part) => here.has(part.toLowerCase()))) bare.push(folder)
    }
    level = next
  }
  return { places, bare, parts, isWhole: level.length === 0 }
}

function protectedAt(folder: string, first: string): string[] {
  return protectedNames
    .filter(({ names }) => names[0] === first)
    .map(({ names }) => path.join(folder, ...names))
}
