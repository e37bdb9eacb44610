import { CadreError } from '@cadre/core'
import { createAgents, type Home, showDiagnostic } from '@cadre/files'
import type { Io } from '../io.ts'
import { counted } from '../output/numbers.ts'
import { loadSettings, type Settings } from '../runtime/load-settings.ts'
import { projectOf, userPlaces } from '../runtime/places.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** The configuration, what in it is not trusted, and the agents. The settings are given back for what depends on them. */
export async function checkSettings(
  io: Io,
  home: Home,
): Promise<{ checks: Check[]; settings: Settings | undefined }> {
  const agents = checkAgents(io, home)
  try {
    const settings = await loadSettings(io, home, false)
    const { sources, needsTrust } = settings
    const found = sources.length === 0 ? 'no file; everything has its default' : sources.join(', ')
    const untrusted = needsTrust.map(({ reason }) =>
      warn('trust', reason, 'Read it; --trust or CADRE_TRUST=1 uses it for one command.'),
    )
    const trust =
      untrusted.length > 0 ? untrusted : [ok('trust', 'nothing in this folder waits to be trusted')]
    return { checks: [ok('configuration', found), ...trust, ...agents], settings }
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return { checks: [fail('configuration', error.message, 'Correct it.'), ...agents], settings: undefined }
  }
}

function checkAgents(io: Io, home: Home): Check[] {
  const registry = createAgents({
    home: home.path,
    project: projectOf(io.cwd),
    userHome: userPlaces(io.env).home,
  })
  const { agents, files, diagnostics } = registry.loaded()
  const names = agents.map(({ name }) => name).join(', ')
  const count = `${counted(agents.length, 'agent')} in ${counted(files.length, 'file')}${names === '' ? '' : `: ${names}`}`
  const problems = diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map((diagnostic) =>
      (diagnostic.severity === 'error' ? fail : warn)('agents', showDiagnostic(diagnostic)),
    )
  return [ok('agents', count), ...problems]
}
