import { createAgents, loadTeam } from '@cadre/agents'
import { CadreError } from '@cadre/core'
import { showDiagnostic } from '@cadre/disk'
import type { Home, Policy } from '@cadre/home'
import { agentPaths, loadSettings, type Settings, trustFolder } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { formatCount } from '../../output/numbers.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Checks the configuration, trust and the agents. Returns the settings for other checks. */
export async function checkConfiguration(
  io: Io,
  home: Home,
  { policy, homeTrusted }: { readonly policy: Policy; readonly homeTrusted: boolean },
): Promise<{ checks: Check[]; settings: Settings | undefined }> {
  const agents = policy.customAgents ? checkAgents(io, home) : [onlyBuiltIn(policy)]
  try {
    const settings = await loadSettings(io, home, { homeTrusted })
    const { sources } = settings
    const found = sources.length === 0 ? 'no file; all settings use their defaults' : sources.join(', ')
    const off = settings.config.enableSubagent === false
    const subagents = off ? [ok('subagents', 'delegation is disabled: enableSubagent is false')] : []
    const trust = await checkTrust(io, home, policy)
    const team = settings.config.team === undefined ? [] : [checkTeam(settings.config.team)]
    return { checks: [ok('configuration', found), ...subagents, ...trust, ...team, ...agents], settings }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return { checks: [fail('configuration', error.message, 'Fix the file.'), ...agents], settings: undefined }
  }
}

/** Checks what is untrusted: until a person trusts the folder, Cadre ignores these items and agents are read-only. */
async function checkTrust(io: Io, home: Home, { customAgents }: Policy): Promise<Check[]> {
  const places = agentPaths(io, home, io.cwd)
  const agents = customAgents ? createAgents(places).list() : []
  const { contents, missing } = await trustFolder(io, { home, project: places.project ?? io.cwd, agents })
  const placeOf = (file: string, line?: number) => (line === undefined ? file : `${file}:${line}`)
  const waiting = missing.map(({ file, line, what }) =>
    warn(
      'trust',
      `${placeOf(file, line)} ${what}; it is not trusted, so agents are read-only here`,
      'Inspect it. To trust it, start "cadre run" in a terminal and answer the question; --trust or CADRE_TRUST=1 trusts it for one command.',
    ),
  )
  const unusable = contents.unusable.map(({ file, reason }) => warn('trust', `${file} is ignored: ${reason}`))
  const all = [...waiting, ...unusable]
  return all.length > 0 ? all : [ok('trust', 'nothing in this folder needs your trust')]
}

function checkTeam(wanted: string): Check {
  try {
    const { name, variant, agents } = loadTeam(wanted)
    return ok('team', `${name}/${variant}: ${agents.map((agent) => agent.name).join(', ')}`)
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return fail('team', error.message, 'Fix "team" in config.yaml.')
  }
}

function onlyBuiltIn({ decidedBy }: Policy): Check {
  const key = 'customAgent.enabled'
  return ok(
    'agents',
    `only built-in agents are available: ${key} is false (${decidedBy.get(key) ?? 'policy'})`,
  )
}

function checkAgents(io: Io, home: Home): Check[] {
  const registry = createAgents(agentPaths(io, home, io.cwd))
  const { agents, files, diagnostics } = registry.loaded()
  const names = agents.map(({ name }) => name).join(', ')
  const count = `${formatCount(agents.length, 'agent')} in ${formatCount(new Set(files.map(({ path }) => path)).size, 'file')}${names === '' ? '' : `: ${names}`}`
  const problems = diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map((diagnostic) =>
      (diagnostic.severity === 'error' ? fail : warn)('agents', showDiagnostic(diagnostic)),
    )
  return [ok('agents', count), ...problems]
}
