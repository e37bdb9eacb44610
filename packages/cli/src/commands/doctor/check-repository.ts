import { CadreError, messageOf } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { Settings } from '@cadre/runtime'
import { openCheckoutRepository } from '@cadre/workspaces'
import { requireRepository } from '../engine/require-repository.ts'
import { type Check, fail, ok } from './check.ts'

const name = 'repository'

/** The repository of `engine.workspace: checkout`: whether this machine can read it. */
export async function checkRepository(
  settings: Settings | undefined,
  home: Home,
  workspace: string,
  limit: number,
): Promise<Check[]> {
  const engine = settings?.config.engine
  if (engine?.workspace !== 'checkout') return []
  try {
    const { shown, list } = openCheckoutRepository(await requireRepository(engine, home, workspace))
    const { refs, defaultBranch } = await list([], AbortSignal.timeout(limit))
    if (!refs.has('HEAD'))
      return [
        fail(name, `${shown} has no commit on its default branch`, 'Push a commit. Sessions start from it.'),
      ]
    const branch = defaultBranch?.replace(/^refs\/heads\//, '') ?? 'HEAD'
    return [ok(name, `sessions work in checkouts of ${shown} and start from ${branch}`)]
  } catch (error) {
    const fix =
      error instanceof CadreError && error.code === 'configuration'
        ? undefined
        : 'Correct engine.repository in config.yaml, or give this machine access with an SSH key or a credential helper of git.'
    return [fail(name, messageOf(error), fix)]
  }
}
