import { messageOf } from '@cadre/core'
import { homeItems } from '@cadre/gate'
import type { Environment } from './environment.ts'
import { stateOfHome } from './home-trust.ts'
import type { PartsOptions, RunParts } from './load-parts.ts'

/**
 * Records `--allow` and `--trust` when a run starts, so that they apply again when it is resumed. `--trust` covers the current
 * content of the folder; later changes need trust again.
 */
export async function grantKeeper(
  environment: Environment,
  {
    allow = [],
    trust,
    tell,
  }: Pick<PartsOptions, 'allow' | 'trust'> & { readonly tell: (message: string) => void },
  { home, brought, grants }: RunParts,
): Promise<(root: string) => void> {
  if (allow.length === 0 && trust !== true) return () => {}
  const items = trust
    ? [...homeItems(home.path, await stateOfHome(environment, home)), ...brought]
    : undefined
  const kept = items?.map(({ path, sha256 }) => ({ path, sha256 }))
  return (root) => {
    try {
      grants.add(home.path, root, { allow, ...(kept && { trust: kept }) })
    } catch (error) {
      tell(messageOf(error))
    }
  }
}
