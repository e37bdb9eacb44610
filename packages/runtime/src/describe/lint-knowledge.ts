import { createAgents, type LintKnowledge, type ModelKnowledge } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { showDiagnostic, systemClock } from '@cadre/disk'
import { type Config, type Home, withModelAliases } from '@cadre/home'
import type { Environment } from '../environment.ts'
import { findServers } from '../find-servers.ts'
import { loadSettings } from '../load-settings.ts'
import { loadTools } from '../load-tools.ts'
import { loadPolicyForDisplay } from '../policy-of-run.ts'
import { trustFolder } from '../trust-folder.ts'
import { agentPaths, userPaths } from '../user-paths.ts'

/**
 * What the files in a project are checked against: available tools, models of a configured backend, and agents from
 * elsewhere. An invalid configuration is reported, but agents are still checked.
 */
export async function lintKnowledge(
  io: Environment,
  home: Home,
  tell: (message: string) => void,
): Promise<LintKnowledge> {
  // Excludes agents of the current project: they are found with the checked files, and other projects do not use them.
  const agents = createAgents({ home: home.path, userHome: userPaths(io.env).home }).list()
  try {
    const places = agentPaths(io, home, io.cwd)
    const folder = await trustFolder(io, {
      home,
      project: places.project ?? io.cwd,
      agents: createAgents(places).list(),
    })
    // Tool modules run when they are loaded, so they are loaded only where a run would use them.
    const settings = await loadSettings(io, home, folder)
    const { tools } = await loadTools({ home, settings })
    const { policy } = await loadPolicyForDisplay(io, home, folder.homeTrusted)
    const model = await modelKnowledge(io, withModelAliases(settings.config, policy))
    const project = places.project ?? io.cwd
    const found = findServers(io, {
      ...{ project, workspace: io.cwd, configured: settings.servers },
      agents: createAgents(places).list(),
      discover: settings.config.mcp?.discover,
    })
    for (const problem of found.diagnostics) tell(showDiagnostic(problem))
    const servers = found.servers.filter((server) => server.agent === undefined).map(({ name }) => name)
    return { agents, tools: tools.map(({ name }) => name), servers, ...(model && { model }) }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    tell(error.message)
    return { agents }
  }
}

/** Absent if no backend is configured: then models are unknown. */
async function modelKnowledge(io: Environment, config: Config): Promise<LintKnowledge['model']> {
  const { env } = io
  const variables = [
    'CADRE_MODEL',
    'OPENAI_BASE_URL',
    'OPENAI_API_KEY',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_API_KEY',
  ]
  const isConfigured =
    config.model || config.openai || config.anthropic || variables.some((name) => env[name])
  if (!isConfigured) return undefined
  const { copilotDefaultModel, createModels } = await import('@cadre/backends')
  const models = createModels({
    config,
    env,
    cwd: io.cwd,
    clock: systemClock,
    defaultModel: () => copilotDefaultModel(env, { configured: config.copilot?.server }),
  })
  const asked = new Map<string, Promise<ModelKnowledge>>()
  return (name) => {
    const known = asked.get(name) ?? ask(name)
    asked.set(name, known)
    return known
  }

  async function ask(name: string): Promise<ModelKnowledge> {
    try {
      const found = await models.resolve(name)
      if (found.kind === 'unknown') return { kind: 'unknown', nearest: found.nearest }
      return { kind: found.warning === undefined ? 'known' : 'untold' }
    } catch (error) {
      if (!(error instanceof CadreError)) throw error
      return { kind: 'untold' }
    }
  }
}
