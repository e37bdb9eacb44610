import { foldEntries, openCalls, type StoredSession } from '@cadre/core'
import { openChildren } from '@cadre/runtime'
import { plainLine } from './plain-line.ts'

/** Sessions to describe at most. */
const maxSessions = 4
const maxLength = 300

/** What the agents of a running tree are doing, in one line. */
export async function newsOf(
  root: StoredSession,
  read: (id: string) => Promise<StoredSession | undefined>,
): Promise<string> {
  const lines: string[] = []
  const seen = new Set<string>()
  const waiting = [root]
  for (let stored = waiting.shift(); stored !== undefined; stored = waiting.shift()) {
    seen.add(stored.spec.id)
    const children = openChildren(stored)
    lines.push(`${stored.spec.agent.name}: ${activityOf(stored, children.length)}`)
    for (const child of children) {
      const below = seen.has(child) ? undefined : await read(child).catch(() => undefined)
      if (below !== undefined && below.status !== 'completed' && below.status !== 'error') waiting.push(below)
    }
  }
  const more = lines.length - maxSessions
  const shown = more > 0 ? [...lines.slice(0, maxSessions), `and ${more} more`] : lines
  return plainLine(shown.join('; '), maxLength)
}

function activityOf({ entries, spec }: StoredSession, children: number): string {
  const state = foldEntries(entries, spec.id)
  const tools = openCalls(state).flatMap(({ call, started, finished }) =>
    finished !== undefined || started?.child !== undefined ? [] : [call.function.name],
  )
  const rounds = entries.filter(({ role }) => role === 'assistant').length
  if (tools.length > 0) return `${[...new Set(tools)].slice(0, 3).join(', ')} (round ${rounds})`
  if (children > 0) return `waits for ${children} ${children === 1 ? 'agent' : 'agents'}`
  return `thinks (round ${rounds + 1})`
}
