import path from 'node:path'
import { repositoryOf } from '@cadre/disk'

/** The imports of one file that lead out of its repository. */
export interface LeavingImports {
  /** Relative to the root of the repository. */
  readonly file: string
  readonly line: number
  readonly targets: readonly string[]
}

export interface KnowledgePlaces {
  /** The folder that a session works in. */
  readonly workspace: string
  readonly userHome: string
  /** False: only what is the user's own is read. */
  readonly folder?: boolean | undefined
  /** Whether a file, by its real path, must not be shown to agents. */
  readonly isHidden?: ((real: string) => boolean) | undefined
  /** Whether a person has agreed to the imports of a file of the folder that lead out of it. Without it, nobody has. */
  readonly mayLeave?: ((leaving: LeavingImports) => boolean) | undefined
}

/** The repository that a workspace belongs to, or the workspace itself. */
export function rootOf(workspace: string): string {
  return repositoryOf(workspace) ?? workspace
}

/** From the root of the repository down to the workspace. */
export function foldersDown(root: string, folder: string): string[] {
  const names = path
    .relative(root, folder)
    .split(path.sep)
    .filter((name) => name !== '')
  return [root, ...names.map((_, at) => path.join(root, ...names.slice(0, at + 1)))]
}

/** A file as people and models see it: relative to the workspace, to the user's folder, or whole. With `/`. */
export function shownAs(file: string, { workspace, userHome }: KnowledgePlaces): string {
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
