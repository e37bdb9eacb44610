import { messageOf } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { Settings } from '@cadre/runtime'
import { openCheckoutRepository, tryPush } from '@cadre/workspaces'
import { requireRepository } from '../engine/require-repository.ts'
import { type Check, fail, ok } from './check.ts'

const name = 'repository'

const accessFix =
  'Correct engine.repository in config.yaml, or give this machine access with an SSH key or a credential helper of git.'
const pushFix =
  'Workers store files there. Use an SSH key or token with write access, and let it push to refs/cadre/* and to branches cadre/*.'

const emptyFix = 'Push a commit. Sessions start from it.'
const timeoutFix = 'Check the network, or try "cadre doctor --wait 30".'

/** The repository of `engine.workspace: checkout`: whether this machine can read it and push to it. */
export async function checkRepository(
  settings: Settings | undefined,
  home: Home,
  workspace: string,
  limit: number,
): Promise<Check[]> {
  const engine = settings?.config.engine
  if (engine?.workspace !== 'checkout') return []
  let address: string
  try {
    address = await requireRepository(engine, home, workspace)
  } catch (error) {
    return [fail(name, messageOf(error))]
  }
  const repository = openCheckoutRepository(address)
  const { shown } = repository
  /** Each command connects again, so each has the whole time. */
  const attempt = async <T>(fix: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | Failed> => {
    const signal = AbortSignal.timeout(limit)
    try {
      return await work(signal)
    } catch (error) {
      if (!signal.aborted) return new Failed(fail(name, messageOf(error), fix))
      return new Failed(fail(name, `${shown} did not answer within ${limit / 1000} s`, timeoutFix))
    }
  }
  const listed = await attempt(accessFix, (signal) => repository.list([], signal))
  if (listed instanceof Failed) return [listed.check]
  const head = listed.refs.get('HEAD')
  if (head === undefined) return [fail(name, `${shown} has no commit on its default branch`, emptyFix)]
  const pushed = await attempt(pushFix, (signal) => tryPush(repository, head, signal))
  if (pushed instanceof Failed) return [pushed.check]
  const branch = listed.defaultBranch?.replace(/^refs\/heads\//, '') ?? 'HEAD'
  return [
    ok(name, `sessions work in checkouts of ${shown} and start from ${branch}; this machine can push to it`),
  ]
}

class Failed {
  readonly check: Check
  constructor(check: Check) {
    this.check = check
  }
}
