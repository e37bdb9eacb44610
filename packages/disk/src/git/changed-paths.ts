import { type GitRequest, git } from './git.ts'

export interface ChangedPaths {
  /** Modified, new or deleted paths, relative to the top of the work tree. */
  readonly paths: readonly string[]
  /** Nested repositories. Their content is not listed. */
  readonly repositories: readonly string[]
}

/**
 * Lists paths that differ from the index, without ignored files. Unlike `git add`, this neither fails at a nested repository without a
 * commit nor looks into one with commits.
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

/** `? name` for a path that is not in the index, otherwise `M 100644 <object> 0<tab>name`. */
function nameIn(line: string): string {
  return line.startsWith('? ') ? line.slice(2) : line.slice(line.indexOf('\t') + 1)
}
