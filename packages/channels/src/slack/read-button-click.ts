import { isObject, type JsonObject } from '@cadre/core'
import { actionPrefix, blockPrefix } from './approval-message.ts'

/** A click on a button of an approval. */
export interface ButtonClick {
  readonly approval: string
  readonly choice: string
  readonly user: string
  /** The display name; people choose it themselves. */
  readonly userName: string
  readonly channel: string
  readonly ts: string
  readonly responseUrl: string | undefined
  /** The same if Slack delivers the click again. */
  readonly once: string
}

/** Returns undefined if the payload is about something else. */
export function readButtonClick(payload: JsonObject): ButtonClick | undefined {
  const { type, user, actions, container, response_url: responseUrl } = payload
  const action = Array.isArray(actions) ? (actions[0] as unknown) : undefined
  if (type !== 'block_actions' || !isObject(user) || !isObject(action) || !isObject(container))
    return undefined
  const { action_id: name, block_id: block, value, action_ts: time } = action
  const { channel_id: channel, message_ts: ts } = container
  if (!isText(name) || !isText(value) || !isText(channel) || !isText(ts) || !isText(user['id']))
    return undefined
  if (!name.startsWith(actionPrefix) || block !== `${blockPrefix}${value}`) return undefined
  return {
    approval: value,
    choice: name.slice(actionPrefix.length),
    user: user['id'],
    userName: nameOf(user['username'] ?? user['name']),
    channel,
    ts,
    responseUrl: isText(responseUrl) ? responseUrl : undefined,
    once: [value, name, user['id'], ts, String(time)].join('\n'),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 2_000
}

/** Limits the name to safe characters, because it is written to files. */
function nameOf(name: unknown): string {
  return typeof name === 'string'
    ? name
        .replace(/[^\p{L}\p{N} ._-]/gu, '')
        .trim()
        .slice(0, 60)
    : ''
}
