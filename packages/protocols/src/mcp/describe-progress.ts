import { foldEntries, isEndedStatus, openCalls, type StoredSession, shortLine } from '@cadre/core'
import { openChildren } from '@cadre/runtime'

/** The maximum number of sessions to describe. */
const maxSessions = 4
const maxLength = 300

/** What the agents of a running tree are doing now, in one line: the first sessions from the top, each with its agent and tools. */
export async function describeProgress(
  root: StoredSession,
  read: (id: string) => Promise<StoredSession | undefined>,
): Promise<string> {
  const lines: string[] = []
  const seen = new Set([root.spec.id])
  const waiting: (StoredSession | string)[] = [root]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const stored = typeof next === 'string' ? await read(next).catch(() => undefined) : next
    if (stored === undefined || isEndedStatus(stored.status)) continue
    // A background delegation can be listed twice.
    const children = [...new Set(openChildren(stored))].filter((id) => !seen.has(id))
    for (const id of children) seen.add(id)
    lines.push(`${stored.spec.agent.name}: ${activityOf(stored, children.length)}`)
    waiting.push(...children)
    // A tree can have hundreds of sessions, and this is called several times a second.
    if (lines.length === maxSessions) break
  }
  const more = waiting.length > 0 ? [`and ${waiting.length} more`] : []
  return shortLine([...lines, ...more].join('; '), maxLength)
}

function activityOf({ entries, spec }: StoredSession, children: number): string {
  const state = foldEntries(entries, spec.id)
  const open = openCalls(state).filter(
    ({ started, finished, refused }) =>
      finished === undefined && refused === undefined && started?.child === undefined,
  )
  // Calls in one reply can run one after the other.
  const started = open.filter((call) => call.started !== undefined)
  const tools = (started.length > 0 ? started : open).map(({ call }) => call.function.name)
  const rounds = entries.filter(({ role }) => role === 'assistant').length
  if (tools.length > 0) return `${[...new Set(tools)].slice(0, 3).join(', ')} (round ${rounds})`
  if (children > 0) return `waiting for ${children} ${children === 1 ? 'agent' : 'agents'}`
  return `thinking (round ${rounds + 1})`
}
