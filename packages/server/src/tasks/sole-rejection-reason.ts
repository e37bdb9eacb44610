import { classOfName, type Entry, type StoredSession } from '@cadre/core'

type Read = (session: string) => Promise<StoredSession | undefined>

/**
 * Returns the last rejection, if this session and those below it changed nothing else. Such work is not done, whatever the agent reports.
 * Returns `undefined` if nothing was rejected, or the agent found another way.
 */
export async function soleRejectionReason(session: string, read: Read): Promise<string | undefined> {
  const found = await searchSession(session, read, new Set())
  return found.hasActed ? undefined : found.rejected.at(-1)
}

interface SearchResult {
  readonly rejected: readonly string[]
  readonly hasActed: boolean
}

async function searchSession(session: string, read: Read, seen: Set<string>): Promise<SearchResult> {
  seen.add(session)
  const entries = (await read(session))?.entries ?? []
  const tools = new Map(
    entries.flatMap((entry) =>
      entry.role === 'assistant'
        ? (entry.tool_calls ?? []).map((call) => [call.id, call.function.name] as const)
        : [],
    ),
  )
  const changing = new Set(entries.flatMap((entry) => (startsChange(entry, tools) ? [entry.call] : [])))
  const rejected: string[] = []
  let hasActed = false
  for (const entry of entries) {
    if (entry.role === 'tool_result') {
      const tool = tools.get(entry.tool_call_id) ?? 'a call'
      if (entry.code === 'approval_rejected') rejected.push(`${tool} was ${entry.content}`)
      else hasActed ||= (entry.outcome ?? 'done') === 'done' && changing.has(entry.tool_call_id)
    }
    const child = entry.role === 'event' && entry.type === 'call.started' ? entry.child : undefined
    if (typeof child !== 'string' || seen.has(child)) continue
    const below = await searchSession(child, read, seen)
    rejected.push(...below.rejected)
    hasActed ||= below.hasActed
  }
  return { rejected, hasActed }
}

/** Delegations are judged by their children. Tasks, messages and reads change nothing in the workspace. */
function startsChange(
  entry: Entry,
  tools: ReadonlyMap<string, string>,
): entry is Extract<Entry, { role: 'event' }> {
  if (entry.role !== 'event' || entry.type !== 'call.started' || entry['rule'] === 'effects.read')
    return false
  const kind = classOfName(tools.get(entry.call ?? '') ?? '')
  return kind !== 'agent' && kind !== 'task' && kind !== 'message'
}
