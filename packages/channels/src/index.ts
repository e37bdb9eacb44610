export type {
  Channel,
  ChannelContext,
  ChannelFactories,
  PostAnswer,
  PostHandler,
  PostRequest,
} from './channel.ts'
export type { DaemonEvent, RecordEvent } from './daemon-event.ts'
export { channelFactories } from './factories.ts'
export { isLoopback } from './is-loopback.ts'
export { openSenders } from './open-senders.ts'
export type { Problem, Problems } from './problems.ts'
export { createWebhookChannel } from './webhook/create-webhook-channel.ts'
export { writeFileAtomically } from './write-file-atomically.ts'
