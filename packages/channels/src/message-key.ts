import { createHash } from 'node:crypto'

/** A key in a message by which it can be found again. It reveals nothing about the session. */
export function messageKey(key: string): string {
  return createHash('sha256').update(`cadre/${key}`).digest('hex').slice(0, 32)
}

/** The same in the format of Slack's `client_msg_id`. */
export function clientMessageId(key: string): string {
  const digits = messageKey(key)
  return [8, 12, 16, 20, 32].map((end, at, ends) => digits.slice(ends[at - 1] ?? 0, end)).join('-')
}

export const messageEvent = 'cadre_message'
