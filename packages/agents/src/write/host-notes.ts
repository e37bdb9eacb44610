import type { AgentDefinition } from '@cadre/core'
import { plainKey } from '../header/known-keys.ts'
import { lengthOf, settingsLimits } from '../settings/settings-limits.ts'
import type { Entries } from './access-keys.ts'
import { dialectFacts, type TargetDialect } from './dialect-facts.ts'

/** Restricting keys. A host that does not know them permits more than Cadre. */
const restricting = new Set(
  [
    'disallowed-tools',
    'permissions',
    'permission',
    'agents',
    'max-turns',
    'timeout',
    'budget',
    'isolation',
    'hooks',
  ].map(plainKey),
)

/** Returns notes for people who use these files with the program they were written for. */
export function hostNotes(
  agent: AgentDefinition,
  dialect: TargetDialect,
  header: Entries,
): readonly string[] {
  const { host, known } = dialectFacts(dialect)
  const ignored = header.map(([key]) => key).filter((key) => !known.has(plainKey(key)))
  const loosened = ignored.filter((key) => restricting.has(plainKey(key)))
  const notes: string[] = []
  if (ignored.length > 0) notes.push(`${atStart(host)} ignores these Cadre keys: ${ignored.join(', ')}.`)
  if (loosened.length > 0) notes.push(`So ${host} does not enforce ${loosened.join(', ')}.`)
  if (dialect === 'opencode' && ignored.length > 0)
    notes.push("opencode passes unknown keys to the model's provider.")
  return [...notes, ...boundaryNotes(agent, host), ...ownRules(agent, dialect)]
}

/** Only Cadre reads a boundary, wherever it is. */
function boundaryNotes({ boundary }: AgentDefinition, host: string): readonly string[] {
  if (boundary === undefined) return []
  const said = Object.entries(boundary).map(([part, value]) => `${part} ${value}`)
  return [`${atStart(host)} does not enforce the agent's boundary: ${said.join(', ')}.`]
}

/** A program name keeps its case, even at the start of a sentence. */
function atStart(host: string): string {
  return host.includes(' ') ? host.charAt(0).toUpperCase() + host.slice(1) : host
}

function ownRules(agent: AgentDefinition, dialect: TargetDialect): readonly string[] {
  const { name, description, prompt, models = [] } = agent
  const notes: string[] = []
  if (dialect === 'claude' && !/^[a-z0-9-]+$/.test(name))
    notes.push('In Claude Code, names may contain only lowercase letters, digits and hyphens.')
  if ((dialect === 'copilot' || dialect === 'claude') && description === '')
    notes.push(`${dialectFacts(dialect).host} does not load an agent without a description.`)
  if (dialect === 'copilot' && models.length > 1)
    notes.push('VS Code accepts several models, but Copilot CLI does not load such an agent.')
  if (dialect === 'copilot' && lengthOf(prompt) > settingsLimits.prompt)
    notes.push(`github.com reads at most ${settingsLimits.prompt} characters of instructions.`)
  return notes
}
