import type { AgentDefinition, Json, PermissionRule } from '@cadre/core'
import { type FileDialect, spellKey } from './dialect-facts.ts'

export type Entries = readonly (readonly [string, Json])[]

/**
 * Returns the ways in which a dialect can express what an agent may use and start: first as its host does, last as Cadre
 * reads it in every dialect. Not every way can express everything; the writer takes the first that reads back the same.
 */
export function accessForms(agent: AgentDefinition, dialect: FileDialect): readonly Entries[] {
  const plain = plainForm(agent, dialect)
  if (dialect === 'opencode') return [...opencodeForms(agent), plain]
  return dialect === 'claude' ? [...claudeForms(agent), plain] : [plain]
}

function plainForm(agent: AgentDefinition, dialect: FileDialect): Entries {
  const { tools, disallowedTools } = agent
  return [
    ...optionalEntry(
      dialect === 'template' ? 'capabilities' : 'tools',
      tools.kind === 'list' ? tools.names : undefined,
    ),
    ...optionalEntry(spellKey('disallowed-tools', dialect), disallowedTools),
    ...optionalEntry('permissions', rulesOf(agent.permissions)),
    ...delegateEntry(agent),
  ]
}

/** `tools: Read, Bash(git *), Agent(reviewer)`: the host enforces the text in parentheses. */
function claudeForms(agent: AgentDefinition): readonly Entries[] {
  const { tools, permissions, delegates } = agent
  if (tools.kind !== 'list' || tools.names.length === 0) return []
  const starter = tools.names.filter((name) => /^(agent|task)$/i.test(name))
  const targets = delegates?.kind === 'list' && starter.length === 1 ? delegates.names.join(', ') : undefined
  const scopes = scopesOf(permissions ?? [])
  const written = tools.names.flatMap((name) => {
    if (targets !== undefined && name === starter[0]) return [`${name}(${targets})`]
    return scopes.uses.get(name)?.map((pattern) => `${name}(${pattern})`) ?? [name]
  })
  const disallowed = [...(agent.disallowedTools ?? []), ...scopes.denied]
  const rest = [
    ...optionalEntry('disallowedTools', disallowed.length > 0 ? disallowed : agent.disallowedTools),
    ...optionalEntry('permissions', rulesOf(scopes.rest)),
    ...(targets === undefined ? delegateEntry(agent) : []),
  ]
  return [
    [['tools', written.join(', ')], ...rest],
    [['tools', tools.names.join(', ')], ...plainForm(agent, 'claude').slice(1)],
  ]
}

interface Scopes {
  /** The only permitted uses of a tool. */
  readonly uses: ReadonlyMap<string, readonly string[]>
  /** Denied uses, such as `Bash(rm *)`. */
  readonly denied: readonly string[]
  /** Rules that parentheses cannot express. */
  readonly rest: readonly PermissionRule[] | undefined
}

function scopesOf(rules: readonly PermissionRule[]): Scopes {
  const uses = new Map<string, string[]>()
  const denied: string[] = []
  const rest: PermissionRule[] = []
  for (const rule of rules) {
    const { tool, pattern, action } = rule
    if (action === 'deny' && pattern === '*' && !uses.has(tool)) uses.set(tool, [])
    else if (action === 'allow' && uses.has(tool)) uses.get(tool)?.push(pattern)
    else if (action === 'deny' && pattern !== '*') denied.push(`${tool}(${pattern})`)
    else rest.push(rule)
  }
  return { uses, denied, rest: rest.length === 0 ? undefined : rest }
}

/** The host accepts `tools` only as a mapping, and rules as `permission`. */
function opencodeForms(agent: AgentDefinition): readonly Entries[] {
  const { tools, disallowedTools = [], permissions } = agent
  const names = tools.kind === 'list' ? tools.names : []
  const map = Object.fromEntries([
    ...(tools.kind === 'list' ? [['*', false] as const] : []),
    ...names.map((name) => [name, true] as const),
    ...disallowedTools.map((name) => [name, false] as const),
  ])
  const toolEntry = optionalEntry('tools', Object.keys(map).length === 0 ? undefined : map)
  const permission = permissionMap(permissions)
  const rules = optionalEntry('permissions', rulesOf(permissions))
  const targets = delegateEntry(agent)
  return [
    ...(permission === undefined ? [] : [[...toolEntry, ['permission', permission] as const, ...targets]]),
    [...toolEntry, ...rules, ...targets],
  ]
}

/** `undefined` if a mapping cannot express the order of the rules. */
function permissionMap(rules: readonly PermissionRule[] | undefined): Json | undefined {
  if (rules === undefined || rules.length === 0) return undefined
  const tools = new Map<string, Map<string, Json>>()
  let last: string | undefined
  for (const { tool, pattern, action } of rules) {
    const patterns = tools.get(tool) ?? new Map<string, Json>()
    if ((tools.has(tool) && last !== tool) || patterns.has(pattern)) return undefined
    tools.set(tool, patterns.set(pattern, action))
    last = tool
  }
  const short = (patterns: ReadonlyMap<string, Json>): Json =>
    patterns.size === 1 ? (patterns.get('*') ?? Object.fromEntries(patterns)) : Object.fromEntries(patterns)
  return Object.fromEntries([...tools].map(([tool, patterns]) => [tool, short(patterns)]))
}

function delegateEntry({ delegates }: AgentDefinition): Entries {
  if (delegates === undefined) return []
  return [['agents', delegates.kind === 'all' ? ['*'] : delegates.kind === 'none' ? [] : delegates.names]]
}

function rulesOf(rules: readonly PermissionRule[] | undefined): Json | undefined {
  return rules?.map(({ tool, pattern, action }) => ({ tool, pattern, action }))
}

/** Returns nothing for an absent value. */
export function optionalEntry(key: string, value: Json | undefined): Entries {
  return value === undefined ? [] : [[key, value]]
}
