import type { ChannelFactories } from './channel.ts'

/** Each loads its channel only if it is configured. */
export const channelFactories: ChannelFactories = {
  slack: async (context) => (await import('./slack/create-slack-channel.ts')).createSlackChannel(context),
  mail: async (context) => (await import('./mail/create-mail-channel.ts')).createMailChannel(context),
  webhook: async (context) =>
    (await import('./webhook/create-webhook-channel.ts')).createWebhookChannel(context),
}
