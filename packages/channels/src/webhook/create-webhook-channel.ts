import { isObject } from '@cadre/core'
import type { Channel, ChannelContext, PostAnswer, PostHandler } from '../channel.ts'
import { verifyRequest } from '../verify-request.ts'
import { lineFromRequest } from './line-from-request.ts'
import { type HookSettings, readWebhookSettings } from './webhook-settings.ts'

export interface WebhookOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

const about = 'webhook'
const place = '[webhook]'

/** Stores requests to `/hooks/<name>` in the inbox. They are acknowledged when they are on disk. */
export function createWebhookChannel(
  context: ChannelContext,
  { now = Date.now }: WebhookOptions = {},
): Channel {
  const { environment, problems } = context
  let isStopped = false
  let hooks: readonly HookSettings[] = []

  return {
    name: 'webhook',
    async start() {
      isStopped = false
      hooks = readWebhookSettings(context.settings)
      reportSecrets()
      for (const hook of hooks) context.onPost(`/hooks/${hook.name}`, answerer(hook))
    },
    async stop() {
      isStopped = true
      problems.report(about, place, [])
    },
  }

  /** Without the secret, forged requests cannot be detected, so none is accepted. */
  function reportSecrets(): void {
    const without = hooks.filter(({ secretEnv }) => !environment[secretEnv])
    problems.report(
      about,
      place,
      without.map(({ name, secretEnv }) => ({
        severity: 'error',
        code: 'no-secret',
        message: `/hooks/${name} accepts no requests, because the environment variable ${secretEnv} is not set. Set it and restart the daemon.`,
      })),
    )
  }

  function answerer(hook: HookSettings): PostHandler {
    return async (request): Promise<PostAnswer> => {
      const secret = environment[hook.secretEnv]
      if (isStopped || !secret) return refused(503, 'This address does not accept requests at the moment.')
      const at = now()
      const verified = verifyRequest(request, hook, secret, at)
      if (verified.kind === 'wrong') return refused(401, verified.reason)
      const line = lineFromRequest(request, hook, { proof: verified.proof, now: at })
      const { id, body } = line
      // Sent once, when the address is entered in Slack.
      if (hook.scheme === 'slack' && isObject(body) && body['type'] === 'url_verification')
        return { status: 200, body: { challenge: body['challenge'] ?? '' } }
      const taken = await context.receive(hook.file, line)
      return taken === 'new'
        ? { status: 202, body: { taken: true, id } }
        : { status: 200, body: { known: true, id } }
    }
  }
}

function refused(status: number, error: string): PostAnswer {
  return { status, body: { error } }
}
