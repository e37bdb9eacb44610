import path from 'node:path'
import { CadreError } from '@cadre/core'
import { repositoryOf, tryGit } from '@cadre/disk'
import type { EngineSettings, Home } from '@cadre/home'

/**
 * Returns the repository of `engine.workspace: checkout`. A path is relative to the project. Rejects if it is not set and the workspace
 * has no remote `origin`.
 */
export async function requireRepository(
  { repository }: Pick<EngineSettings, 'repository'>,
  home: Home,
  workspace: string,
): Promise<string> {
  if (repository !== undefined) return absolute(repository, path.dirname(home.path))
  const top = repositoryOf(workspace)
  const origin = top === undefined ? undefined : await originOf(top)
  if (top !== undefined && origin !== undefined) return absolute(origin, top)
  throw new CadreError(
    'configuration',
    `engine.workspace is checkout, but engine.repository is not set, and ${workspace} is not in a git repository with a remote named origin. Set engine.repository to a repository that all workers can fetch from and push to.`,
    { where: home.at('config.yaml') },
  )
}

async function originOf(top: string): Promise<string | undefined> {
  const { code, stdout } = await tryGit(['config', '--get', 'remote.origin.url'], { cwd: top })
  const address = stdout.trim()
  return code === 0 && address !== '' && !address.startsWith('-') ? address : undefined
}

/** Git would resolve a relative path from the folder where Cadre runs it. */
function absolute(repository: string, from: string): string {
  return /^\.{1,2}(\/|$)/.test(repository) ? path.resolve(from, repository) : repository
}
