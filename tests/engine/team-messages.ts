import type { Entry, ModelRequest } from '@cadre/core'

/** The team messages in a session's record, in order: sender and text. */
export function receivedTeamMessages(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.role !== 'user' || entry.message === undefined) return []
    const [, text = ''] = entry.content.split('\n\n')
    return [`${entry.from}: ${text}`]
  })
}

/** The member that sent the request. */
export function memberOf({ messages }: ModelRequest): string {
  return /You are (\S+) in the team/.exec(messages[0]?.content ?? '')?.[1] ?? ''
}

/** The last message to the session. */
export function lastMessage({ messages }: ModelRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? ''
}
