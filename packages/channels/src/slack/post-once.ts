import { CadreError, type JsonObject } from '@cadre/core'
import { pause } from '@cadre/disk'
import { clientMessageId, messageEvent, messageKey } from '../message-key.ts'
import { findSent } from './find-sent.ts'
import { explainReply, maxAttempts, retryDelay, type SlackApi } from './slack-api.ts'

export interface SlackPost {
  readonly channel: string
  readonly thread_ts?: string | undefined
  readonly key: string
  /** The remaining arguments of `chat.postMessage`. */
  readonly content: JsonObject
  readonly pauseMs?: number | undefined
}

export interface PostReceipt extends JsonObject {
  readonly channel: string
  readonly ts: string
}

/**
 * Posts a message once. If the result is unknown, the channel is searched before a retry; if that fails too, rejects with
 * `in_doubt`. Any other rejection means that it was not posted.
 */
export async function postOnce(api: SlackApi, post: SlackPost, signal: AbortSignal): Promise<PostReceipt> {
  const { channel, thread_ts, key, content, pauseMs = 500 } = post
  const since = Date.now()
  for (let attempt = 1; ; attempt++) {
    const reply = await api.call('chat.postMessage', {
      ...content,
      channel,
      ...(thread_ts !== undefined && { thread_ts }),
      client_msg_id: clientMessageId(key),
      metadata: { event_type: messageEvent, event_payload: { key: messageKey(key) } },
    })
    if (reply.kind === 'ok') return receiptOf(reply.body, channel)
    if (reply.kind === 'unclear') {
      const found = await findSent(api, { channel, thread_ts, key, since }, signal)
      if (found.kind === 'found') return { channel: found.channel, ts: found.ts }
      if (found.kind === 'unknown')
        throw new CadreError(
          'in_doubt',
          `Cadre does not know whether Slack accepted the message. ${reply.message}`,
        )
    }
    const wait = retryDelay(reply, attempt, pauseMs)
    if (wait === undefined || attempt === maxAttempts || signal.aborted)
      throw new CadreError('backend', explainReply(reply))
    await pause(wait, signal)
    if (signal.aborted) throw new CadreError('cancelled', 'Cadre stopped before Slack accepted the message.')
  }
}

function receiptOf(body: JsonObject, channel: string): PostReceipt {
  const { channel: where, ts } = body
  return {
    channel: typeof where === 'string' ? where : channel,
    ts: typeof ts === 'string' ? ts : '',
  }
}
