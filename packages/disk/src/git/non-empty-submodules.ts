import path from 'node:path'
import { namesIn } from '../files/files.ts'
import { type GitRequest, git } from './git.ts'

/** Submodules with non-empty folders. Git does not list their content, whether or not they are checked out. */
export async function nonEmptySubmodules(
  request: GitRequest & { readonly workTree: string },
): Promise<readonly string[]> {
  const listed = await git(['ls-files', '-z', '-s'], request)
  return listed
    .split('\0')
    .flatMap((line) => (line.startsWith('160000 ') ? line.slice(line.indexOf('\t') + 1) : []))
    .filter((name) => namesIn(path.join(request.workTree, name)).length > 0)
}
