import { type AgentRegistry, openHome } from '@cadre/files'
import type { Io } from '../io.ts'
import { agentsOfRun } from './agents-of-run.ts'
import { loadPolicyOf, policyNotices, withSettings } from './load-policy.ts'
import { loadSettings } from './load-settings.ts'
import { projectOf, userPlaces } from './places.ts'

/** The agents a run started here would find, those of a team that is asked for or configured included. */
export async function agentsHere(
  io: Io,
  flags: { readonly home?: string; readonly team?: string },
): Promise<{ readonly registry: AgentRegistry; readonly notices: readonly string[] }> {
  const home = openHome({ cwd: io.cwd, env: io.env, ...(flags.home && { home: flags.home }) })
  const settings = await loadSettings(io, home, false)
  const policy = withSettings(await loadPolicyOf(io, home), settings)
  const places = policy.customAgents
    ? { home: home.path, project: projectOf(io.cwd), userHome: userPlaces(io.env).home }
    : {}
  const { agents, notices } = agentsOfRun({ ...flags, config: settings.config, places })
  return {
    registry: agents,
    notices: [...policyNotices(policy, {}), ...notices].map(({ message }) => message),
  }
}
