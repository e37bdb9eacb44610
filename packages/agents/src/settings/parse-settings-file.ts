import type { Diagnostic } from '@cadre/disk'
import type { ParsedAgent } from '../load/read-definition.ts'
import { readSettingsAgents, type SettingsAgents } from './read-settings.ts'
import type { SettingsDiagnostic } from './settings-report.ts'

/** The agents of settings, each with its diagnostics. */
export interface SettingsFile {
  /**
   * Usable agents first, then an entry without an agent for each unusable one. Diagnostics about the whole file are with
   * the first. Empty if there are no agents and no diagnostics.
   */
  readonly reads: readonly ParsedAgent[]
  readonly entry?: string
  /** None of the agents is usable. */
  readonly isUseless: boolean
}

/** Like `readSettingsAgents`, with each diagnostic at its agent. */
export function parseSettingsFile(file: { readonly path: string; readonly text: string }): SettingsFile {
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
  const reads = [...byPlace].map(([place, own]): ParsedAgent => {
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

/** Converts to a diagnostic as for other files. */
function plain({ at: _at, fault: _fault, isEmpty: _isEmpty, ...diagnostic }: SettingsDiagnostic): Diagnostic {
  return diagnostic
}

/** Returns the agent of a diagnostic: by its key path, or by its line. */
function placeOf({ at, line = 0 }: SettingsDiagnostic, agents: SettingsAgents['agents']): string | undefined {
  if (at !== undefined) return /^configuration\.agents\[\d+\]/.exec(at)?.[0]
  const lines = new Set(agents.map((agent) => agent.line))
  // On a single line, they cannot be distinguished.
  if (lines.size < agents.length) return undefined
  return agents.findLast((agent) => agent.line <= line)?.place
}
