import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** A git repository and its folders. Found without running git, so that nothing in the repository is executed. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly top: string
  /** The folder of this work tree: index, HEAD. */
  readonly gitDir: string
  /** The folder that all work trees share. */
  readonly commonDir: string
}

/** Returns the repository with this top folder. */
export function repositoryAt(top: string): Repository | undefined {
  const entry = path.join(top, '.git')
  const stats = statSync(entry, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (stats.isDirectory()) return { top, gitDir: entry, commonDir: entry }
  const target = /^gitdir: (.+?)\s*$/m.exec(textOf(entry) ?? '')?.[1]
  if (target === undefined) return undefined
  const gitDir = path.resolve(top, target)
  const common = textOf(path.join(gitDir, 'commondir'))?.trim()
  return { top, gitDir, commonDir: common === undefined ? gitDir : path.resolve(gitDir, common) }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').slice(0, 8_192)
  } catch {
    return undefined
  }
}
