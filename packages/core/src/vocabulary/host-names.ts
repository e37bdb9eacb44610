import { interpretToolName, type ToolMeaning } from './vocabulary.ts'
import { foreignToolNames } from './vocabulary-elsewhere.ts'
import { hostVocabularies, type NamingHost } from './vocabulary-hosts.ts'

/**
 * The names that a host uses for what a name means in Cadre; `undefined` if the host has none. A name that the host knows is returned
 * unchanged. The result may mean less to Cadre than the name does, and in a few cases more: code that grants tools must check.
 */
export function namesFor(host: NamingHost, name: string): readonly string[] | undefined {
  const written = name.trim()
  if (knowsTool(host, written)) return [written]
  const { classes, tools } = hostVocabularies[host]
  const meaning = interpretToolName(written)
  switch (meaning.kind) {
    case 'class':
      return classes[meaning.class]
    case 'tools': {
      const names = meaning.names.flatMap((tool) => (Object.hasOwn(tools, tool) ? (tools[tool] ?? []) : []))
      return names.length === 0 ? undefined : [...new Set(names)]
    }
    case 'server': {
      const spelled = serverName(host, meaning)
      return spelled === undefined ? undefined : [spelled]
    }
    default:
      return undefined
  }
}

/** Returns whether the host accepts exactly this name. Does not know tools of the host's extensions. */
export function knowsTool(host: NamingHost, name: string): boolean {
  if (name === '*') return true
  if (host === 'claude' && /^mcp__./.test(name)) return true
  if (host === 'copilot' && name.includes('/')) return true
  const known = knownTo(host)
  return known.has(hostVocabularies[host].ignoresCase ? name.toLowerCase() : name)
}

/** Returns whether a host may accept this model name. For Copilot, only the server could tell. */
export function knowsModel(host: NamingHost, model: string): boolean {
  if (host === 'opencode') return /^[^\s/]+\/\S+$/.test(model)
  if (host === 'claude')
    return /^(?:inherit|default|best|sonnet|opus|haiku|opusplan|claude-[a-z0-9-]+)(?:\[1m\])?$/.test(model)
  return true
}

const sets = new Map<NamingHost, ReadonlySet<string>>()

function knownTo(host: NamingHost): ReadonlySet<string> {
  const made = sets.get(host)
  if (made !== undefined) return made
  const { classes, tools, also, own, ignoresCase } = hostVocabularies[host]
  const names = [
    ...Object.values(classes).flat(),
    ...Object.values(tools).flat(),
    ...also,
    ...own.flatMap((label) => foreignToolNames[label] ?? []),
  ]
  const set = new Set(ignoresCase ? names.map((name) => name.toLowerCase()) : names)
  sets.set(host, set)
  return set
}

/** Only if the meaning is exactly the same: opencode joins server and tool with a character that both may contain. */
function serverName(
  host: NamingHost,
  { server, tool }: Extract<ToolMeaning, { kind: 'server' }>,
): string | undefined {
  if (host === 'opencode') return undefined
  const spelled =
    host === 'claude'
      ? `mcp__${server}${tool === undefined ? '' : `__${tool}`}`
      : `${server}/${tool === undefined ? '*' : tool}`
  if (host === 'claude' && !/^[\w*-]+$/.test(spelled)) return undefined
  const read = interpretToolName(spelled)
  return read.kind === 'server' && read.server === server && read.tool === tool ? spelled : undefined
}
