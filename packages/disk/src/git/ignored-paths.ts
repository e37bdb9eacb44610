import { type GitRequest, git } from './git.ts'
import { userIgnores } from './user-ignores.ts'

/** Ignored files that are not in the index. A folder that contains only such files is one name that ends in `/`. */
export function ignoredPaths(request: GitRequest): Promise<readonly string[]> {
  return list(['-o', '--directory', '--no-empty-directory'], request)
}

/** Like `ignoredPaths`, but only for these paths, and lists every file. */
export function ignoredFilesIn(places: readonly string[], request: GitRequest): Promise<readonly string[]> {
  return list(['-o', '--', ...places], request)
}

/** Files in the index that git would otherwise ignore. */
export function ignoredInIndex(request: GitRequest): Promise<readonly string[]> {
  return list(['-c'], request)
}

async function list(args: readonly string[], request: GitRequest): Promise<readonly string[]> {
  const excludes = await userIgnores()
  const from = excludes === undefined ? [] : [`--exclude-from=${excludes}`]
  const listed = await git(['ls-files', '-z', '-i', '--exclude-standard', ...from, ...args], request)
  return listed.split('\0').filter((name) => name !== '')
}
