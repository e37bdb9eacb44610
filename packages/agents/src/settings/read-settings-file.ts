import type { Diagnostic } from '@cadre/disk'
import type { ReadAgent } from '../load/read-definition.ts'
import { readSettingsAgents, type SettingsAgents } from './read-settings.ts'
import type { SettingsDiagnostic } from './settings-report.ts'

/** The agents of settings, each with what is said about it. */
export interface SettingsFile {
  /**
   * First those that can be used, then one without an agent for each that was left out. What is said about the file as a
   * whole stands with the first. Empty when there are no agents, and nothing to say.
   */
  readonly reads: readonly ReadAgent[]
  readonly entry?: string
  /** Nothing of what is written there could be used. */
  readonly isUseless: boolean
}

/** As `readSettingsAgents`, with every diagnostic at the agent it is about. */
export function readSettingsFile(file: { readonly path: string; readonly text: string }): SettingsFile {
  const { agents, entry, diagnostics } = readSettingsAgents(file)
  const byPlace = new Map<string, Diagnostic[]>(agents.map(({ place }) => [place, []]))
  const ofFile: Diagnostic[] = []
  for (const diagnostic of diagnostics) {
    const place = placeOf(diagnostic, agents)
    const own = place === undefined ? ofFile : (byPlace.get(place) ?? [])
    own.push(plain(diagnostic))
    if (place !== undefined) byPlace.set(place, own)
  }
  const known = new Map(agents.map(({ place, agent }) => [place, agent]))
  const reads = [...byPlace].map(([place, own]): ReadAgent => {
    const agent = known.get(place)
    return { ...(agent !== undefined && { agent }), diagnostics: own }
  })
  const [first, ...others] = reads
  const hasErrors = diagnostics.some(({ severity }) => severity === 'error')
  return {
    reads:
      ofFile.length === 0
        ? reads
        : [{ ...first, diagnostics: [...ofFile, ...(first?.diagnostics ?? [])] }, ...others],
    ...(entry !== undefined && { entry }),
    isUseless:
      hasErrors && (agents.length === 0 || diagnostics.some(({ code }) => code === 'settings-default')),
  }
}

/** As diagnostics of other files are. */
function plain({ at: _at, fault: _fault, isEmpty: _isEmpty, ...diagnostic }: SettingsDiagnostic): Diagnostic {
  return diagnostic
}

/** The agent a diagnostic is about: the one its path of keys names, else the one whose lines it is in. */
function placeOf({ at, line = 0 }: SettingsDiagnostic, agents: SettingsAgents['agents']): string | undefined {
  if (at !== undefined) return /^configuration\.agents\[\d+\]/.exec(at)?.[0]
  const lines = new Set(agents.map((agent) => agent.line))
  // Written in one line, nobody can tell by it.
  if (lines.size < agents.length) return undefined
  return agents.findLast((agent) => agent.line <= line)?.place
}
