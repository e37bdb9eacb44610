import { type GitRequest, tryGit } from './git.ts'

/**
 * Settings that take away what a repository's own configuration would have git run for files of certain names: filters and
 * merge drivers. Files name them in `.gitattributes`, which agents write, and they can be scripts of the work tree. A file that
 * wanted such a driver is reported as a conflict.
 */
export async function safeGitSettings(request: GitRequest): Promise<readonly string[]> {
  const { stdout } = await tryGit(
    [
      'config',
      '--name-only',
      '-z',
      '--get-regexp',
      '^(filter|merge)\\..*\\.(clean|smudge|process|required|driver)$',
    ],
    request,
  )
  return stdout.split('\0').flatMap((key) => {
    if (key === '') return []
    if (key.endsWith('.driver')) return [`${key}=false`]
    return key.endsWith('.required') ? [`${key}=false`] : [`${key}=`]
  })
}
