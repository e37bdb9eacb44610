import {
  type AgentDefinition,
  classOf,
  didYouMean,
  interpretToolName,
  knownTools,
  type ToolMeaning,
} from '@cadre/core'
import type { Finding } from '../lint-result.ts'
import { type FileRule, findKey, type LintKnowledge, type LintSubject, lineOfKey } from '../subject.ts'

const toolKeys = ['tools', 'allowedtools'] as const
const maxUnknown = 20

/** Checks tool names: unknown ones, unavailable ones, and those of servers. A name never grants more. */
export const toolNameRule: FileRule = (subject, knowledge) => {
  const { agent } = subject.read
  if (agent === undefined) return []
  const own = new Set((knowledge.tools ?? []).map((name) => name.toLowerCase()))
  const chosen = agent.tools.kind === 'all' ? [] : agent.tools.names
  const permitted = (agent.permissions ?? []).map(({ tool }) => tool)
  const denied = (agent.permissions ?? []).filter(({ action }) => action !== 'allow').map(({ tool }) => tool)
  const forbidden = new Set([...(agent.disallowedTools ?? []), ...denied].map((name) => name.toLowerCase()))
  const sorted = new Map<ToolMeaning['kind'] | 'not-here' | 'no-server', string[]>()
  const servers = serversFor(agent, knowledge)
  const add = (name: string, isWanted: boolean) => {
    const meaning = interpretToolName(name)
    // A denied tool does not need to exist.
    const isAbsent = isWanted && isMissing(meaning, own)
    const hasNoServer =
      isWanted &&
      meaning.kind === 'server' &&
      servers !== undefined &&
      !servers.has(meaning.server.toLowerCase())
    const kind = own.has(name.toLowerCase())
      ? 'tools'
      : hasNoServer
        ? 'no-server'
        : isAbsent
          ? 'not-here'
          : meaning.kind
    const names = sorted.get(kind) ?? []
    // An unknown name is reported once, however often and in whatever case it is written.
    const isSaid = (said: string) =>
      said === name || (kind === 'unknown' && said.toLowerCase() === name.toLowerCase())
    if (!names.some(isSaid)) names.push(name)
    sorted.set(kind, names)
  }
  for (const name of [...chosen, ...permitted]) add(name, true)
  for (const name of agent.disallowedTools ?? []) add(name, false)
  const line = lineOfKey(subject, ...toolKeys, 'disallowedtools', 'permission', 'permissions')
  return [
    ...unknownTools(subject, sorted.get('unknown') ?? [], { forbidden, known: candidates(knowledge) }),
    ...findingsFor(sorted.get('elsewhere'), (names) => ({
      severity: 'info' as const,
      code: 'tool-elsewhere',
      line,
      message: `Only the host that this file was written for has these tools: ${names}.`,
    })),
    ...findingsFor(sorted.get('not-here'), (names) => ({
      severity: 'info' as const,
      code: 'tool-not-here',
      line,
      message: `These tools are not available in this version or configuration: ${names}.`,
    })),
    ...findingsFor(sorted.get('server'), (names) => ({
      severity: 'info' as const,
      code: 'tool-of-server',
      line,
      message: `These tools come from MCP servers or extensions. Cadre keeps their names: ${names}.`,
    })),
    ...findingsFor(sorted.get('no-server'), (names) => ({
      severity: 'info' as const,
      code: 'tool-without-server',
      line,
      message: `No MCP server with this name is configured here: ${names}. "cadre mcp list" lists the servers.`,
    })),
  ]
}

/** The names of the servers that the agent can use. Undefined if none are configured: then the names may be for another program. */
function serversFor(
  { mcpServers }: Pick<AgentDefinition, 'mcpServers'>,
  { servers = [] }: LintKnowledge,
): ReadonlySet<string> | undefined {
  const own =
    typeof mcpServers === 'object' && mcpServers !== null && !Array.isArray(mcpServers)
      ? Object.keys(mcpServers)
      : []
  const names = [...servers, ...own]
  return names.length === 0 ? undefined : new Set(names.map((name) => name.toLowerCase()))
}

/** True if a name means Cadre tools that are not available. Tools of the loop itself are always available. */
function isMissing(meaning: ToolMeaning, own: ReadonlySet<string>): boolean {
  if (meaning.kind !== 'tools' || own.size === 0) return false
  return meaning.names.every((name) => !own.has(name.toLowerCase()) && classOf(name) !== 'agent')
}

interface UnknownName {
  readonly name: string
  readonly line: number
  readonly isDenied: boolean
  /** The closest names, as the end of the sentence. */
  readonly hint: string
}

/**
 * A misspelt name is worse in a list of denied tools, because the agent keeps the tool. Names on one line that resemble no
 * tool share one message: they usually belong to a host or server that Cadre does not know.
 */
function unknownTools(
  subject: LintSubject,
  names: readonly string[],
  { forbidden, known }: { readonly forbidden: ReadonlySet<string>; readonly known: readonly string[] },
): Finding[] {
  const groups = new Map<string, UnknownName[]>()
  for (const name of names) {
    const line = lineOfName(subject, name)
    const isDenied = forbidden.has(name.toLowerCase())
    const hint = hintFor(name, known)
    const key = hint === '' ? `${line} ${isDenied}` : `${line} ${isDenied} ${name}`
    groups.set(key, [...(groups.get(key) ?? []), { name, line, isDenied, hint }])
  }
  const shown = [...groups.values()].slice(0, maxUnknown)
  const rest = [...groups.values()].slice(maxUnknown).flat().length
  if (rest === 0) return shown.map(unknownFinding)
  const message = `${rest} more unknown tool names.`
  return [
    ...shown.map(unknownFinding),
    { severity: 'warning', code: 'tool-unknown', line: lineOfKey(subject, ...toolKeys), message },
  ]
}

function unknownFinding(group: readonly UnknownName[]): Finding {
  const { line, isDenied, hint } = group[0] as UnknownName
  const quoted = group.map(({ name }) => JSON.stringify(name.slice(0, 80)))
  const effect = isDenied ? 'denies nothing' : 'grants nothing'
  const isOne = quoted.length === 1
  return {
    severity: isDenied ? 'error' : 'warning',
    code: 'tool-unknown',
    line,
    message: isOne
      ? `There is no tool named ${quoted[0]}, so the entry ${effect}${hint === '' ? '.' : hint}`
      : `There are no tools with these names, so each entry ${effect}: ${shortList(quoted)}.`,
    fix: isOne ? 'Correct the name, or remove it.' : 'Correct the names, or remove them.',
  }
}

const hints = new WeakMap<readonly string[], Map<string, string>>()

/** Cached: the same unknown names occur in many files, and finding similar ones is slow. */
function hintFor(name: string, known: readonly string[]): string {
  const remembered = hints.get(known) ?? new Map<string, string>()
  const hint = remembered.get(name) ?? didYouMean(name.slice(0, 80), known)
  hints.set(known, remembered.set(name, hint))
  return hint
}

/** Returns the line of a name if the list has one name per line, otherwise the line of the list. */
function lineOfName(subject: LintSubject, name: string): number {
  for (const key of [...toolKeys, 'disallowedtools', 'permission']) {
    const field = findKey(subject, key)?.field
    const item = field?.items?.find(({ value }) => typeof value === 'string' && value.includes(name))
    const entry = item ?? field?.fields?.get(name)
    if (entry !== undefined) return entry.line
  }
  return lineOfKey(subject, ...toolKeys, 'disallowedtools')
}

const nearNames = new WeakMap<LintKnowledge, readonly string[]>()

function candidates(knowledge: LintKnowledge): readonly string[] {
  const known = nearNames.get(knowledge)
  if (known !== undefined) return known
  const names = [...new Set([...knownTools(), ...(knowledge.tools ?? [])])]
  nearNames.set(knowledge, names)
  return names
}

function findingsFor(names: readonly string[] | undefined, make: (names: string) => Finding): Finding[] {
  return names === undefined || names.length === 0 ? [] : [make(shortList(names))]
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 6).join(', ')
  return names.length > 6 ? `${shown} and ${names.length - 6} more` : shown
}
