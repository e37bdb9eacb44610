import type { AgentDefinition } from '@cadre/core'
import { yamlText } from '@cadre/disk'
import { plainKey } from '../header/known-keys.ts'
import { readAgentText } from '../load/read-agent-text.ts'
import { accessForms, type Entries, entry } from './access-keys.ts'
import { withBoundary } from './boundary-keys.ts'
import { type FileDialect, spell } from './dialect-facts.ts'
import { differences } from './differences.ts'
import { pathOfAgent } from './file-name.ts'
import { hostNotes } from './host-notes.ts'
import { inHostNames, type Naming } from './in-host-names.ts'
import { keptKey } from './kept-keys.ts'
import { identityKeys, invocationForms, workKeys } from './other-keys.ts'
import { promptSpaceKey, settledPrompt, spaceOf } from './prompt-space.ts'
import { settleAgent } from './settle-agent.ts'

export interface WrittenAgent {
  /** Below the project; of a template, below the home. With `/`. */
  readonly path: string
  readonly text: string
  /** What the host of these files does not read, or holds in another way, in whole sentences. */
  readonly notes: readonly string[]
  /** Parts of the definition that do not come out the same when the file is read again. */
  readonly lost: readonly string[]
}

export interface WriteOptions {
  /** Default: its own name. */
  readonly path?: string
  /** Default: `keep`. Only with that does reading the file give the same names. Templates have no host. */
  readonly names?: Naming
}

/**
 * Writes an agent as a file of a dialect. What the dialect has a key for goes there; the rest goes under keys that are
 * read in every dialect. Reading the file gives the same definition; where that cannot be, `lost` says what differs.
 */
export function writeAgent(
  given: AgentDefinition,
  dialect: FileDialect,
  { path, names = 'keep' }: WriteOptions = {},
): WrittenAgent {
  if (names === 'host' && dialect !== 'template') {
    const renamed = inHostNames(settleAgent(given), dialect)
    const result = writeAgent(renamed.agent, dialect, path === undefined ? {} : { path })
    return { ...result, notes: [...renamed.notes, ...result.notes] }
  }
  const agent = settleAgent(given)
  const place = path ?? pathOfAgent(agent.name, dialect)
  // Keys that are harmless one by one can mean something together; then all of them are put away.
  const first = attempt(agent, dialect, place, false)
  const written = first.lost.length === 0 ? first : attempt(agent, dialect, place, true)
  return written.lost.length === 0 ? written : first
}

function attempt(agent: AgentDefinition, dialect: FileDialect, path: string, apart: boolean): WrittenAgent {
  const header = headerOf(agent, dialect, apart)
  const text = fileText(header, agent.prompt, dialect)
  const lost = differences(agent, readAgentText({ path, text }).agent)
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
  const space = spaceOf(prompt)
  return [
    ...identityKeys({ ...agent, description }, dialect),
    ...firstThatHolds(access, accessForms(access, dialect)),
    ...workKeys(agent, dialect),
    ...firstThatHolds(invocation, invocationForms(invocation, dialect)),
    ...withBoundary(plain, agent.boundary),
    ...entry(spell(keptKey, dialect), moved.length === 0 ? undefined : Object.fromEntries(moved)),
    ...entry(spell(promptSpaceKey, dialect), space === undefined ? undefined : { ...space }),
  ]

  function firstThatHolds(part: AgentDefinition, forms: readonly Entries[]): Entries {
    const others = new Set(plain.map(([key]) => plainKey(key)))
    const usable = forms.filter((form) => !form.some(([key]) => others.has(plainKey(key))))
    return usable.find((form) => survives(part, form)) ?? forms.at(-1) ?? []
  }

  /** Whether these keys alone, in a file of the dialect, say exactly this. */
  function survives(part: AgentDefinition, keys: Entries): boolean {
    const text = fileText([...identityKeys(part, dialect), ...keys], part.prompt, dialect)
    return differences(part, readAgentText({ path: pathOfAgent(name, dialect), text }).agent).length === 0
  }
}

function fileText(header: Entries, prompt: string, dialect: FileDialect): string {
  const body = settledPrompt(prompt).toWellFormed()
  if (dialect === 'template')
    return yamlText([...header, ...(body === '' ? [] : [['system_prompt', `${body}\n`] as const])], {
      blocks: true,
    })
  return `---\n${yamlText(header, { blocks: false })}---\n${body === '' ? '' : `\n${body}\n`}`
}

function present<T extends object>(values: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T
}
