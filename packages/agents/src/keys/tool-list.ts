import type { PermissionRule } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { HeaderReader } from './header-reader.ts'
import { readNames, splitToolNames } from './read-names.ts'
import { rejectMisspelt } from './reject-misspelt.ts'

/** The content of one list of tools. */
export interface ToolList {
  readonly names: 'all' | readonly string[]
  /** Names that the list excludes. */
  readonly without: readonly string[]
  /** Agents in `Agent(a, b)`. */
  readonly targets?: readonly string[]
  /** Tools permitted only for some uses: the uses, by name. */
  readonly scopes: ReadonlyMap<string, readonly string[]>
}

const noTools: ToolList = { names: [], without: [], scopes: new Map() }

/** An invalid entry gives nothing. */
export function readToolList(field: Located, header: HeaderReader): ToolList {
  if (field.fields !== undefined) return fromMapping(field, header)
  if (field.value === false) return noTools
  const written = readNames(field)
  if (written === undefined) return unclear(field, header)
  for (const item of written.dropped) {
    header.report(
      'warning',
      'tool-unclear',
      item.line,
      `${JSON.stringify(item.value).slice(0, 80)} is not a tool name. Cadre ignores it.`,
      'Write each tool as text.',
    )
  }
  return fromEntries(written.names.flatMap(splitToolNames), field, header)
}

/** `name: true` and `name: false`, as in opencode: the true ones, or all except the false ones. */
function fromMapping(field: Located, header: HeaderReader): ToolList {
  const given: string[] = []
  const without: string[] = []
  for (const [name, { value, line }] of field.fields ?? []) {
    if (typeof value !== 'boolean' || name.trim() === '') return unclear(field, header)
    if (value) given.push(name)
    else {
      rejectMisspelt(header, name, line)
      without.push(name)
    }
  }
  const rest = without.filter((name) => name !== '*')
  if (given.includes('*')) return { ...noTools, names: 'all', without: rest }
  // In opencode, an empty mapping excludes nothing.
  const saysLess = without.length > 0 || header.dialect === 'opencode'
  const isOpen = given.length === 0 && rest.length === without.length && saysLess
  return { ...noTools, names: isOpen ? 'all' : given, without: rest }
}

function fromEntries(entries: readonly string[], field: Located, header: HeaderReader): ToolList {
  const names: string[] = []
  const unlimited = new Set<string>()
  const scopes = new Map<string, string[]>()
  const give = (name: string) => {
    if (!scopes.has(name)) names.push(name)
    unlimited.add(name)
  }
  let targets: string[] | undefined
  for (const entry of entries) {
    const scoped = /^([^()]+)\((.*)\)$/s.exec(entry)
    const name = scoped?.[1]?.trim() ?? ''
    const scope = scoped?.[2]?.trim() ?? ''
    if (!/[()]/.test(entry)) give(entry)
    else if (name === '' || entry.split('(').length !== entry.split(')').length)
      reportUnusableScope(entry, field.line, header)
    else if (/^(?:agent|task)$/i.test(name)) {
      give(name)
      targets = [...(targets ?? []), ...scope.split(',').map((part) => part.trim())].filter(
        (part) => part !== '',
      )
    } else if (/^:?\*{1,2}$/.test(scope)) give(name)
    else {
      if (!names.includes(name)) names.push(name)
      scopes.set(name, [...(scopes.get(name) ?? []), ...scopePatterns(scope)])
    }
  }
  // Also listed without a limit, so it has none.
  for (const name of unlimited) scopes.delete(name)
  return {
    names: unlimited.has('*') ? 'all' : names,
    without: [],
    scopes,
    ...(targets !== undefined && { targets }),
  }
}

/** Claude Code writes `git *` as `git:*`. The rules about addresses interpret `domain:`. */
export function scopePatterns(scope: string): string[] {
  if (/^domain:/i.test(scope)) return [scope]
  return scope === '' ? [] : [scope.replace(/:\*$/, ' *').trim()]
}

/** Rules that permit only these uses. */
export function scopeRules(scopes: ReadonlyMap<string, readonly string[]>): PermissionRule[] {
  return [...scopes].flatMap(([tool, patterns]): PermissionRule[] => [
    { tool, pattern: '*', action: 'deny' },
    ...patterns.map((pattern) => ({ tool, pattern, action: 'allow' }) as const),
  ])
}

export function reportUnusableScope(entry: string, line: number, header: HeaderReader): void {
  header.report(
    'warning',
    'tool-scope',
    line,
    `Cadre cannot apply the limit in ${entry}, so the agent does not get this tool.`,
    'Write the tool in the form Bash(git *), or only its name.',
  )
}

function unclear(field: Located, header: HeaderReader): ToolList {
  header.report(
    'warning',
    'tools-unclear',
    field.line,
    'tools must be a list of names or comma-separated text. Until you fix it, the agent gets no tools.',
    'Write tools: [read, search], or remove the key to allow all tools.',
  )
  return noTools
}
