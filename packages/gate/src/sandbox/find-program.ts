import { findInPath, isInside } from '@cadre/disk'

/** Finds a program to run outside the sandbox. Never one in a workspace, where agents can write. */
export function findProgram(name: string, env: NodeJS.ProcessEnv, workspace?: string): string | undefined {
  const own = process.cwd() === '/' ? [] : [process.cwd()]
  const writable = workspace === undefined ? own : [...own, workspace]
  return findInPath(name, env['PATH'], (folder) => !writable.some((place) => isInside(place, folder)))
}
