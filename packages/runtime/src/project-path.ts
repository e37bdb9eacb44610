import path from 'node:path'
import { isInside, realPathOf } from '@cadre/disk'
import { userPlaces } from './user-places.ts'

/** What PATH was before anything was taken out of it. */
const originals = new WeakMap<NodeJS.ProcessEnv, string>()

/**
 * Takes out of PATH what leads into these folders, and what is relative to the current one: a repository must not bring the
 * programs that Cadre starts. A folder that holds the user's own home folder is nobody's repository. Gives back what was taken out.
 */
export function dropProjectPath(env: NodeJS.ProcessEnv, folders: readonly string[]): readonly string[] {
  const original = originals.get(env) ?? env['PATH']
  if (original === undefined) return []
  originals.set(env, original)
  const userHome = realPathOf(userPlaces(env).home)
  const projects = folders.map(realPathOf).filter((folder) => !isInside(folder, userHome))
  const entries = original.split(path.delimiter)
  const isDropped = (entry: string) =>
    !path.isAbsolute(entry) ||
    projects.some((project) => isInside(project, realPathOf(entry)) || isInside(project, path.resolve(entry)))
  const kept = entries.filter((entry) => !isDropped(entry))
  env['PATH'] = kept.join(path.delimiter)
  return entries.filter((entry) => entry !== '' && isDropped(entry))
}

/** Once a person trusts the folder. */
export function restorePath(env: NodeJS.ProcessEnv): void {
  const original = originals.get(env)
  if (original !== undefined) env['PATH'] = original
}
