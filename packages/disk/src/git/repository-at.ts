import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'

/** A folder under git, and where its things are. Found without git: nothing that lies in it is asked. */
export interface Repository {
  /** The top folder of the work tree. */
  readonly top: string
  /** What is this work tree's alone: index, HEAD. */
  readonly gitDir: string
  /** What all work trees share. */
  readonly commonDir: string
}

/** The repository whose top this folder is. */
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
