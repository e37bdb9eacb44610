import type { AgentDefinition } from '@cadre/core'
import { yamlText } from '@cadre/disk'
import { plainKey } from '../header/known-keys.ts'
import { readAgentText } from '../load/read-agent-text.ts'
import { accessForms, type Entries, optionalEntry } from './access-keys.ts'
import { withBoundary } from './boundary-keys.ts'
import { type FileDialect, spellKey } from './dialect-facts.ts'
import { definitionDifferences } from './differences.ts'
import { agentFilePath } from './file-name.ts'
import { hostNotes } from './host-notes.ts'
import { preservedKeysKey } from './kept-keys.ts'
import { normaliseAgent } from './normalise-agent.ts'
import { identityKeys, invocationForms, workKeys } from './other-keys.ts'
import { findLostWhitespace, normalisePrompt, promptWhitespaceKey } from './prompt-whitespace.ts'
import { type NameMode, translateToHost } from './translate-to-host.ts'

export interface SerializedAgent {
  /** Relative to the project; for a template, to the home. With `/`. */
  readonly path: string
  readonly text: string
  /** What the host of these files ignores or enforces differently, as sentences. */
  readonly notes: readonly string[]
  /** Parts of the definition that differ when the file is read back. */
  readonly lost: readonly string[]
}

export interface SerializeOptions {
  /** Default: its own name. */
  readonly path?: string
  /** Default: `keep`, which is required to read back the same names. Templates have no host. */
  readonly names?: NameMode
}

/**
 * Writes an agent as a file of a dialect. Parts with a key in the dialect use that key; the rest use keys that every
 * dialect reads. Reading the file gives the same definition; otherwise `lost` lists the differences.
 */
export function serializeAgent(
  given: AgentDefinition,
  dialect: FileDialect,
  { path, names = 'keep' }: SerializeOptions = {},
): SerializedAgent {
  if (names === 'host' && dialect !== 'template') {
    const renamed = translateToHost(normaliseAgent(given), dialect)
    const result = serializeAgent(renamed.agent, dialect, path === undefined ? {} : { path })
    return { ...result, notes: [...renamed.notes, ...result.notes] }
  }
  const agent = normaliseAgent(given)
  const place = path ?? agentFilePath(agent.name, dialect)
  // Keys that are harmless separately can have a meaning together; then all of them are stored apart.
  const first = attempt(agent, dialect, place, false)
  const written = first.lost.length === 0 ? first : attempt(agent, dialect, place, true)
  return written.lost.length === 0 ? written : first
}

function attempt(
  agent: AgentDefinition,
  dialect: FileDialect,
  path: string,
  apart: boolean,
): SerializedAgent {
  const header = headerOf(agent, dialect, apart)
  const text = fileText(header, agent.prompt, dialect)
  const lost = definitionDifferences(agent, readAgentText({ path, text }).agent)
  return { path, text, notes: hostNotes(agent, dialect, header), lost }
}

function headerOf(agent: AgentDefinition, dialect: FileDialect, apart: boolean): Entries {
  const { name, description, prompt } = agent
  const { tools, disallowedTools, permissions, delegates, userInvocable, modelInvocable } = agent
  const bare: AgentDefinition = { name, description: 'x', prompt: 'x', tools: { kind: 'all' } }
  const access = present({ ...bare, tools, disallowedTools, permissions, delegates })
  const invocation = present({ ...bare, userInvocable, modelInvocable })
  const unknown = Object.entries(agent.unknown ?? {})
  const fits = (other: (typeof unknown)[number]) =>
    survives({ ...bare, unknown: Object.fromEntries([other]) }, [other])
  const plain = apart ? [] : unknown.filter(fits)
  const moved = unknown.filter((other) => !plain.includes(other))
  const space = findLostWhitespace(prompt)
  return [
    ...identityKeys({ ...agent, description }, dialect),
    ...firstThatHolds(access, accessForms(access, dialect)),
    ...workKeys(agent, dialect),
    ...firstThatHolds(invocation, invocationForms(invocation, dialect)),
    ...withBoundary(plain, agent.boundary),
    ...optionalEntry(
      spellKey(preservedKeysKey, dialect),
      moved.length === 0 ? undefined : Object.fromEntries(moved),
    ),
    ...optionalEntry(spellKey(promptWhitespaceKey, dialect), space === undefined ? undefined : { ...space }),
  ]

  function firstThatHolds(part: AgentDefinition, forms: readonly Entries[]): Entries {
    const others = new Set(plain.map(([key]) => plainKey(key)))
    const usable = forms.filter((form) => !form.some(([key]) => others.has(plainKey(key))))
    return usable.find((form) => survives(part, form)) ?? forms.at(-1) ?? []
  }

  /** True if these keys alone, in a file of the dialect, read back exactly. */
  function survives(part: AgentDefinition, keys: Entries): boolean {
    const text = fileText([...identityKeys(part, dialect), ...keys], part.prompt, dialect)
    return (
      definitionDifferences(part, readAgentText({ path: agentFilePath(name, dialect), text }).agent)
        .length === 0
    )
  }
}

function fileText(header: Entries, prompt: string, dialect: FileDialect): string {
  const body = normalisePrompt(prompt).toWellFormed()
  if (dialect === 'template')
    return yamlText([...header, ...(body === '' ? [] : [['system_prompt', `${body}\n`] as const])], {
      blocks: true,
    })
  return `---\n${yamlText(header, { blocks: false })}---\n${body === '' ? '' : `\n${body}\n`}`
}

function present<T extends object>(values: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
