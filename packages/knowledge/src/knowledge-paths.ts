import path from 'node:path'
import { repositoryOf } from '@cadre/disk'

/** The imports of one file that point outside its repository. */
export interface OutsideImports {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly targets: readonly string[]
}

export interface KnowledgePaths {
  /** The folder that a session works in. */
  readonly workspace: string
  readonly userHome: string
  /** False: read only the user's own files. */
  readonly folder?: boolean | undefined
  /** Returns whether a file must be hidden from agents, by its real path. */
  readonly isHidden?: ((real: string) => boolean) | undefined
  /** Returns whether a person trusts imports of a folder's file that point outside it. Absent: no. */
  readonly mayLeave?: ((leaving: OutsideImports) => boolean) | undefined
}

/** Returns the repository of a workspace, or the workspace itself. */
export function rootOf(workspace: string): string {
  return repositoryOf(workspace) ?? workspace
}

/** Returns the folders from the repository root down to the workspace. */
export function foldersFromRoot(root: string, folder: string): string[] {
  const names = path
    .relative(root, folder)
    .split(path.sep)
    .filter((name) => name !== '')
  return [root, ...names.map((_, at) => path.join(root, ...names.slice(0, at + 1)))]
}

/** Formats a path for people and models: relative to the workspace, to the user's home, or absolute. With `/`. */
export function displayPath(file: string, { workspace, userHome }: KnowledgePaths): string {
  const below = (folder: string) => {
    const relative = path.relative(folder, file)
    return relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative
  }
  const inRepository = below(rootOf(workspace))
  const shown = inRepository === undefined ? undefined : path.relative(workspace, file)
  const inHome = below(userHome)
  const text = shown ?? (inHome === undefined ? file : `~/${inHome}`)
  return text.split(path.sep).join('/')
}
