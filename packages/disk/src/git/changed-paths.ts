import { type GitRequest, git } from './git.ts'

export interface ChangedPaths {
  /** Modified, new, or gone; relative to the top of the work tree. */
  readonly paths: readonly string[]
  /** Folders that are repositories of their own: what is in them is nobody's business here. */
  readonly repositories: readonly string[]
}

/**
 * What is different from the index, ignored files left out. Git's own `add` gives up where a folder is a repository without a
 * commit, and looks into those that have one; this does neither.
 */
export async function changedPaths(
  request: GitRequest,
  excludesFile?: string | undefined,
): Promise<ChangedPaths> {
  const from = excludesFile === undefined ? [] : [`--exclude-from=${excludesFile}`]
  const listed = await git(
    ['ls-files', '-z', '-m', '-d', '-o', '-u', '--exclude-standard', ...from, '--full-name', '-t'],
    request,
  )
  const paths = new Set<string>()
  const repositories: string[] = []
  for (const line of listed.split('\0')) {
    if (line === '') continue
    const name = nameIn(line)
    if (name.endsWith('/')) repositories.push(name.slice(0, -1))
    else paths.add(name)
  }
  return { paths: [...paths], repositories }
}

/** `? name` of one that is not in the index, else `M 100644 <object> 0<tab>name`. */
function nameIn(line: string): string {
  return line.startsWith('? ') ? line.slice(2) : line.slice(line.indexOf('\t') + 1)
}
