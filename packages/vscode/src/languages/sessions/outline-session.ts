/** One entry of a session file. Line numbers are zero-based and inclusive. */
export interface SessionEntry {
  readonly first: number
  readonly last: number
  readonly seq: string | undefined
  readonly role: string
  /** The type of an event. */
  readonly type: string | undefined
  /** The tools that a model's answer calls, in order. */
  readonly tools: readonly string[]
  /** The start of its text. */
  readonly text: string
}

export interface SessionOutline {
  /** Everything above the entries, and within it the instructions and the metadata. */
  readonly header: readonly { readonly name: string; readonly first: number; readonly last: number }[]
  readonly entries: readonly SessionEntry[]
}

const maxTextLength = 80
const entriesAtOnce = 2_000
const functionName = '          name: '

/**
 * Finds the entries of a session file. Text of an entry is indented deeper than its start, so it cannot be mistaken for an
 * entry. Reads lines only, and yields in between, however large the file; other YAML notations have no outline.
 */
export async function outlineSession(
  lines: readonly string[],
  pause: () => Promise<unknown> = async () => {},
): Promise<SessionOutline> {
  const messages = lines.findIndex((line) => /^messages:\s*(?:#.*)?$/.test(line))
  const end = messages === -1 ? lines.length : messages
  const starts: number[] = []
  for (let at = end + 1; at < lines.length; at++) {
    const line = lines[at] as string
    if (line.startsWith('  - ')) starts.push(at)
    else if (line !== '' && line[0] !== ' ' && line[0] !== '#') break
  }
  const entries: SessionEntry[] = []
  for (const [index, first] of starts.entries()) {
    if (index % entriesAtOnce === entriesAtOnce - 1) await pause()
    entries.push(entryOf(lines, first, (starts[index + 1] ?? lines.length) - 1))
  }
  return { header: headerParts(lines, end), entries }
}

function headerParts(lines: readonly string[], end: number): SessionOutline['header'] {
  const parts: { name: string; first: number; last: number }[] = []
  for (const name of ['system_prompt', 'metadata']) {
    const first = lines.findIndex((line, at) => at < end && line.startsWith(`${name}:`))
    if (first === -1) continue
    let last = first
    while (last + 1 < end && /^(?:\s|$)/.test(lines[last + 1] ?? '')) last++
    if (last > first) parts.push({ name, first, last })
  }
  return parts
}

function entryOf(lines: readonly string[], first: number, until: number): SessionEntry {
  const found: Record<string, string> = {}
  const tools: string[] = []
  let last = first
  for (let at = first; at <= until; at++) {
    const line = lines[at] as string
    if (line === '') continue
    last = at
    // Deeper lines are text, except for names of called functions.
    if (at > first && line[4] === ' ') {
      if (found['tool_calls'] === '' && line.startsWith(functionName))
        tools.push(plain(line.slice(functionName.length)))
      continue
    }
    const [, key = '', value = ''] = /^(?: {4}| {2}- )([A-Za-z_]\w*): ?(.*)$/.exec(line) ?? []
    if (key !== '' && !Object.hasOwn(found, key))
      found[key] = key === 'content' && /^[|>]/.test(value) ? (lines[at + 1] ?? '') : value
  }
  return {
    first,
    last,
    seq: found['seq'],
    role: plain(found['role'] ?? ''),
    type: found['type'] === undefined ? undefined : plain(found['type']),
    tools,
    text: plain(found['content'] ?? '').slice(0, maxTextLength),
  }
}

function plain(value: string): string {
  const text = value.trim()
  if (text === 'null') return ''
  if (/^'.*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'")
  return /^".*"$/.test(text) ? text.slice(1, -1) : text
}

/** Entries that belong together: a message to the agent, or a model's answer with the results of its calls. */
export interface SessionRound {
  readonly entries: readonly SessionEntry[]
  readonly first: number
  readonly last: number
}

export function roundsOf(entries: readonly SessionEntry[]): readonly SessionRound[] {
  const rounds: SessionEntry[][] = []
  for (const entry of entries) {
    const begins = entry.role === 'assistant' || entry.role === 'user'
    const current = rounds.at(-1)
    if (begins || current === undefined) rounds.push([entry])
    else current.push(entry)
  }
  return rounds.map((together) => ({
    entries: together,
    first: together[0]?.first ?? 0,
    last: together.at(-1)?.last ?? 0,
  }))
}

/** The title of an entry in an outline. */
export function titleOf({ role, type, tools }: SessionEntry): string {
  if (role === 'event') return type ?? 'event'
  if (tools.length > 0) return `${role}: ${[...new Set(tools)].join(', ')}`
  return role === '' ? 'entry' : role
}
