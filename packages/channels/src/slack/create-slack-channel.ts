import { CadreError, type JsonObject, messageOf } from '@cadre/core'
import type { Channel, ChannelContext } from '../channel.ts'
import type { SlackIdentity } from './line-from-event.ts'
import { openPostedApprovals } from './posted-approvals.ts'
import { createSlackApi, explainReply, type SlackReply } from './slack-api.ts'
import { createSlackApprovals } from './slack-approvals.ts'
import { createSlackIntake } from './slack-intake.ts'
import { readSlackSettings } from './slack-settings.ts'
import { createSlackSocket, type SlackSocket } from './slack-socket.ts'
import { slackWebhook } from './slack-webhook.ts'

export interface SlackChannelOptions {
  readonly now?: () => number
  /** The first pause between retries. */
  readonly pauseMs?: number
  /** The interval for checking a silent connection. */
  readonly pingMs?: number
  readonly retryMs?: number
}

/**
 * Slack: receives messages, and lets people decide approvals there. The tool `slack_send` sends messages, with or without a
 * daemon.
 */
export function createSlackChannel(context: ChannelContext, options: SlackChannelOptions = {}): Channel {
  const settings = readSlackSettings(context.settings, context.environment)
  const { now = Date.now, pauseMs, pingMs, retryMs } = options
  const { baseUrl } = settings
  const api = createSlackApi({ baseUrl, token: settings.botToken, ...(pauseMs !== undefined && { pauseMs }) })
  const stopped = new AbortController()
  const approvals = createSlackApprovals({
    context,
    settings,
    api,
    shown: openPostedApprovals(context.home),
    pauseMs,
    retryMs,
  })
  let self: SlackIdentity | undefined
  const intake = createSlackIntake({
    context,
    settings,
    self: async () => self ?? (await whoAmI().catch(tellAccount)),
    interaction: (payload) => approvals.pressed(payload),
  })
  let socket: SlackSocket | undefined

  return {
    name: 'slack',
    async start() {
      await whoAmI()
      if (settings.mode === 'webhook') {
        const webhook = slackWebhook({ signingSecret: settings.signingSecret, intake, now })
        context.onPost('/slack/events', webhook.events)
        context.onPost('/slack/interactive', webhook.interactive)
      } else {
        const app = createSlackApi({
          baseUrl,
          token: settings.appToken,
          ...(pauseMs !== undefined && { pauseMs }),
        })
        const ask = (signal: AbortSignal) => app.ask('apps.connections.open', {}, signal)
        let first: SlackReply | undefined = await ask(stopped.signal)
        if (first.kind === 'refused') throw wrong(first, 'app_token_env')
        socket = createSlackSocket({
          async open(signal) {
            const reply = first ?? (await ask(signal))
            first = undefined
            return addressOf(reply)
          },
          intake,
          tell: (problem) => tell('slack-connection', problem),
          pauseMs,
          pingMs,
        })
        await socket.start()
      }
      await approvals.start()
    },
    async stop() {
      stopped.abort()
      await socket?.stop()
      await approvals.stop()
    },
    asked: (record) => approvals.asked(record),
    settled: (record) => approvals.settled(record),
  }

  /** Resolves with undefined while Slack is unavailable. A rejected token must be fixed by a person. */
  async function whoAmI(): Promise<SlackIdentity | undefined> {
    const reply = await api.ask('auth.test', {}, stopped.signal)
    if (reply.kind === 'refused') throw wrong(reply, 'bot_token_env')
    tell('slack-account', reply.kind === 'ok' ? undefined : explainReply(reply))
    if (reply.kind !== 'ok') return undefined
    self = selfOf(reply.body)
    return self
  }

  function tellAccount(error: unknown): undefined {
    tell('slack-account', messageOf(error))
    return undefined
  }

  function tell(about: string, message: string | undefined): void {
    context.problems.report(about, '[slack]', message === undefined ? [] : [{ severity: 'error', message }])
  }
}

function wrong(reply: Exclude<SlackReply, { kind: 'ok' }>, key: string): CadreError {
  return new CadreError('configuration', explainReply(reply), { where: `config.yaml: channels.slack.${key}` })
}

function selfOf({ user_id: user, bot_id: bot }: JsonObject): SlackIdentity | undefined {
  if (typeof user !== 'string') return undefined
  return { user, bot: typeof bot === 'string' ? bot : undefined }
}

function addressOf(reply: SlackReply): string {
  if (reply.kind !== 'ok') throw new CadreError('backend', explainReply(reply))
  const { url } = reply.body
  return typeof url === 'string' ? url : ''
}
