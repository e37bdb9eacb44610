import { type GitRequest, tryGit } from './git.ts'

/**
 * Returns settings that disable the filters and merge drivers in a repository's configuration. `.gitattributes`, which agents can write,
 * selects them for files, and they can be scripts in the work tree. A file that needs such a driver is reported as a conflict.
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
