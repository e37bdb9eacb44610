import path from 'node:path'
import { isInside, realPathOf } from '@cadre/disk'
import { userPaths } from './user-paths.ts'

/** The original PATH. */
const originals = new WeakMap<NodeJS.ProcessEnv, string>()

/**
 * Removes entries from PATH that lead into these folders or are relative, so that a repository cannot provide the programs that Cadre
 * starts. Ignores folders that contain the user's home folder, because they are not repositories. Returns the removed entries.
 */
export function dropProjectPath(env: NodeJS.ProcessEnv, folders: readonly string[]): readonly string[] {
  const original = originals.get(env) ?? env['PATH']
  if (original === undefined) return []
  originals.set(env, original)
  const userHome = realPathOf(userPaths(env).home)
  const projects = folders.map(realPathOf).filter((folder) => !isInside(folder, userHome))
  const entries = original.split(path.delimiter)
  const isDropped = (entry: string) =>
    !path.isAbsolute(entry) ||
    projects.some((project) => isInside(project, realPathOf(entry)) || isInside(project, path.resolve(entry)))
  const kept = entries.filter((entry) => !isDropped(entry))
  env['PATH'] = kept.join(path.delimiter)
  return entries.filter((entry) => entry !== '' && isDropped(entry))
}

/** Restores PATH once a person trusts the folder. */
export function restorePath(env: NodeJS.ProcessEnv): void {
  const original = originals.get(env)
  if (original !== undefined) env['PATH'] = original
}
