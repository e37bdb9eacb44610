import { type GitRequest, git } from './git.ts'
import { userIgnores } from './user-ignores.ts'

/** Files that git ignores and the index does not hold. A folder with nothing else in it is one name, which ends in `/`. */
export function ignoredPaths(request: GitRequest): Promise<readonly string[]> {
  return list(['-o', '--directory', '--no-empty-directory'], request)
}

/** The same below these places alone, file by file. */
export function ignoredFilesIn(places: readonly string[], request: GitRequest): Promise<readonly string[]> {
  return list(['-o', '--', ...places], request)
}

/** Files of the index that git would ignore if it did not hold them. */
export function ignoredInIndex(request: GitRequest): Promise<readonly string[]> {
  return list(['-c'], request)
}

async function list(args: readonly string[], request: GitRequest): Promise<readonly string[]> {
  const excludes = await userIgnores()
  const from = excludes === undefined ? [] : [`--exclude-from=${excludes}`]
  const listed = await git(['ls-files', '-z', '-i', '--exclude-standard', ...from, ...args], request)
  return listed.split('\0').filter((name) => name !== '')
}
