import { isObject, parseJson } from '@cadre/core'
import type { PostAnswer, PostHandler } from '../channel.ts'
import { type RequestSigning, verifyRequest } from '../verify-request.ts'
import type { SlackIntake } from './slack-intake.ts'

export interface SlackWebhookOptions {
  readonly signingSecret: string
  readonly intake: SlackIntake
  readonly now: () => number
}

const maxBytes = 1_024 * 1_024
const signing: RequestSigning = {
  scheme: 'slack',
  header: 'x-slack-signature',
  timestampHeader: 'x-slack-request-timestamp',
  // Older requests may be replayed.
  tolerance: 5 * 60,
}

/** `POST /slack/events` and `POST /slack/interactive`. Requests without Slack's signature get no information. */
export function slackWebhook({ signingSecret, intake, now }: SlackWebhookOptions): {
  readonly events: PostHandler
  readonly interactive: PostHandler
} {
  const verified =
    (handle: (body: string) => Promise<PostAnswer>): PostHandler =>
    async (request) => {
      if (request.body.byteLength > maxBytes) return { status: 413 }
      if (verifyRequest(request, signing, signingSecret, now()).kind === 'wrong') return { status: 401 }
      return handle(Buffer.from(request.body).toString('utf8'))
    }
  return {
    events: verified(async (body) => {
      const parsed = parseJson(body)
      if (!parsed.ok || !isObject(parsed.value)) return { status: 400 }
      const { type, challenge } = parsed.value
      if (type === 'url_verification')
        return typeof challenge === 'string' ? { status: 200, body: { challenge } } : { status: 400 }
      // For any status but 200, Slack sends it again, which is needed if it could not be stored.
      return { status: (await intake.event(parsed.value)) ? 200 : 503 }
    }),
    interactive: verified(async (body) => {
      const parsed = parseJson(new URLSearchParams(body).get('payload') ?? '')
      if (!parsed.ok || !isObject(parsed.value)) return { status: 400 }
      await intake.interaction(parsed.value)
      return { status: 200 }
    }),
  }
}
