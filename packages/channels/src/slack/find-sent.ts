import { isObject, type Json } from '@cadre/core'
import { messageEvent, messageKey } from '../message-key.ts'
import type { SlackApi } from './slack-api.ts'

export interface SentSearch {
  readonly channel: string
  readonly thread_ts?: string | undefined
  readonly key: string
  /** Milliseconds since 1970: it was not sent earlier. */
  readonly since: number
}

export type SentSearchResult =
  | { readonly kind: 'found'; readonly channel: string; readonly ts: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' }

const maxPages = 10
/** The assumed maximum clock difference between Slack and this machine. */
const clockMargin = 10 * 60_000

/** Searches the channel for a message with this key. `absent` only if everything since then was searched. */
export async function findSent(
  api: SlackApi,
  search: SentSearch,
  signal: AbortSignal,
): Promise<SentSearchResult> {
  const { channel, thread_ts, key, since } = search
  // A channel name can be posted to, but not searched.
  if (!/^[CGD][A-Z0-9]{1,30}$/.test(channel)) return { kind: 'unknown' }
  const wanted = messageKey(key)
  let cursor = ''
  for (let page = 0; page < maxPages; page++) {
    const reply = await api.ask(
      thread_ts === undefined ? 'conversations.history' : 'conversations.replies',
      {
        channel,
        ...(thread_ts !== undefined && { ts: thread_ts }),
        oldest: ((since - clockMargin) / 1_000).toFixed(6),
        include_all_metadata: true,
        limit: 200,
        ...(cursor !== '' && { cursor }),
      },
      signal,
    )
    if (reply.kind !== 'ok' || !Array.isArray(reply.body['messages'])) return { kind: 'unknown' }
    for (const message of reply.body['messages'] as Json[]) {
      const ts = isObject(message) && keyOf(message['metadata']) === wanted ? message['ts'] : undefined
      if (typeof ts === 'string') return { kind: 'found', channel, ts }
    }
    const next = nextCursor(reply.body['response_metadata'])
    if (next === '') return reply.body['has_more'] === true ? { kind: 'unknown' } : { kind: 'absent' }
    cursor = next
  }
  return { kind: 'unknown' }
}

function keyOf(metadata: Json | undefined): string | undefined {
  if (!isObject(metadata) || metadata['event_type'] !== messageEvent) return undefined
  const payload = metadata['event_payload']
  return isObject(payload) && typeof payload['key'] === 'string' ? payload['key'] : undefined
}

function nextCursor(metadata: Json | undefined): string {
  const cursor = isObject(metadata) ? metadata['next_cursor'] : ''
  return typeof cursor === 'string' ? cursor : ''
}
