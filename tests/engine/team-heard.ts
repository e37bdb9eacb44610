import type { Entry, ModelRequest } from '@cadre/core'

/** The messages of its team that a session has in its record, in order: who wrote, and what. */
export function heard(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.role !== 'user' || entry.message === undefined) return []
    const [, text = ''] = entry.content.split('\n\n')
    return [`${entry.from}: ${text}`]
  })
}

/** Which member asks. */
export function memberOf({ messages }: ModelRequest): string {
  return /You are (\S+) in the team/.exec(messages[0]?.content ?? '')?.[1] ?? ''
}

/** The last thing that was said to the session. */
export function lastSaid({ messages }: ModelRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? ''
}
