import { isObject, type Json, type JsonObject } from '@cadre/core'

/** The identity of the app in Slack. */
export interface SlackIdentity {
  readonly user: string
  readonly bot: string | undefined
}

export interface EventRules {
  readonly self: SlackIdentity
  readonly channels: ReadonlySet<string> | undefined
  readonly ignoreBots: boolean
}

const maxLength = 40_000
/** Types of messages that people write. All others report changes: of a topic, of members, of an edit. */
const personMessageTypes: readonly (Json | undefined)[] = [
  undefined,
  'file_share',
  'thread_broadcast',
  'me_message',
  'bot_message',
]

/**
 * Returns the line of a message for `inbox/slack-messages.jsonl`; undefined for other events, for the app's own messages,
 * and for other channels. A message is identified by its channel and time: a mention of the app causes two events, but is
 * one message.
 */
export function lineFromEvent(
  event: Json | undefined,
  rules: EventRules,
): (JsonObject & { id: string }) | undefined {
  if (!isObject(event)) return undefined
  const { type, subtype, channel, user, bot_id: bot, text, ts, thread_ts: thread } = event
  if ((type !== 'message' && type !== 'app_mention') || !personMessageTypes.includes(subtype))
    return undefined
  if (typeof channel !== 'string' || !/^[A-Z0-9]{1,40}$/.test(channel) || !isTime(ts)) return undefined
  if (rules.channels !== undefined && !rules.channels.has(channel)) return undefined
  if (user === rules.self.user || (typeof bot === 'string' && bot === rules.self.bot)) return undefined
  const isBot = typeof bot === 'string' || subtype === 'bot_message'
  if (isBot && rules.ignoreBots) return undefined
  const names = namesOf(event['files'])
  return {
    id: `${channel}-${ts}`,
    at: new Date(Number(ts) * 1_000).toISOString(),
    direction: 'in',
    channel,
    user:
      typeof user === 'string' ? user.slice(0, 40) : typeof bot === 'string' ? bot.slice(0, 40) : 'unknown',
    text: typeof text === 'string' ? text.slice(0, maxLength) : '',
    ts,
    ...(isTime(thread) && thread !== ts && { thread_ts: thread }),
    ...(names.length > 0 && { files: names }),
  }
}

/** Seconds since 1970, which Slack also uses as the message id. */
function isTime(ts: Json | undefined): ts is string {
  return typeof ts === 'string' && /^\d{1,11}\.\d{1,10}$/.test(ts)
}

function namesOf(files: Json | undefined): string[] {
  if (!Array.isArray(files)) return []
  return files.slice(0, 20).map((file: Json) => {
    const name = isObject(file) ? file['name'] : undefined
    return typeof name === 'string' ? name.slice(0, 200) : 'a file'
  })
}
