import { findInPath, isInside } from '@cadre/disk'

/** A program that is to run outside of the sandbox. Never one of a workspace: agents can write there. */
export function findProgram(name: string, env: NodeJS.ProcessEnv, workspace?: string): string | undefined {
  const own = process.cwd() === '/' ? [] : [process.cwd()]
  const writable = workspace === undefined ? own : [...own, workspace]
  return findInPath(name, env['PATH'], (folder) => !writable.some((place) => isInside(place, folder)))
}
