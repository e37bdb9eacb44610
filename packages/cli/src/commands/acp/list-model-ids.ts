import { modelRefusal, withModelAliases } from '@cadre/home'
import { homeOf, loadPolicyFor, loadSettings, untrustedItems } from '@cadre/runtime'
import type { Io } from '../../io.ts'

/** The timeout for a backend that must be started first, in milliseconds. */
const limit = 20_000

/** The models that a person can choose in a folder: aliases, and the models of all backends that a policy allows. */
export async function listModelIds(io: Io, cwd: string, folder: string | undefined): Promise<string[]> {
  const here = { ...io, cwd }
  const home = homeOf(here, folder)
  const homeTrusted = (await untrustedItems(here, home)).length === 0
  const policy = await loadPolicyFor(here, home, homeTrusted)
  const settings = await loadSettings(here, home, { homeTrusted })
  const config = withModelAliases(settings.config, policy)
  const { listAllModels } = await import('@cadre/backends')
  const listed = await listAllModels({ config, env: io.env, cwd, limit })
  const ids = [
    ...Object.keys(config.aliases ?? {}),
    ...listed.flatMap(({ models }) => models.map(({ id }) => id)),
  ]
  return [...new Set(ids)].filter((id) => modelRefusal(id, policy) === undefined)
}
