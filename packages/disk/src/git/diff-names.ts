import { type GitRequest, git } from './git.ts'

/** The files that differ between two commits or trees. */
export async function diffNames(from: string, to: string, request: GitRequest): Promise<readonly string[]> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--ignore-submodules=none']
  const listed = await git([...args, '--end-of-options', from, to], request)
  return listed.split('\0').filter((name) => name !== '')
}
