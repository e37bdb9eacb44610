export { assemble } from './assemble.ts'
export type {
  Channel,
  ChannelContext,
  ChannelFactories,
  PostAnswer,
  PostHandler,
  PostRequest,
} from './channel.ts'
export { openSenders, type SenderConfig } from './channels/open-senders.ts'
export { createWebhookChannel, type WebhookOptions } from './channels/webhook/create-webhook-channel.ts'
export { createChatLogDuty } from './chat-logs/create-chat-log-duty.ts'
export {
  Channels,
  type ChannelsOptions,
  type Listen,
  type Listening,
} from './daemon/channels.ts'
export { createDaemon } from './daemon/create-daemon.ts'
export { createProblems, placeOfProblem } from './daemon/create-problems.ts'
export type { Daemon, DaemonOptions } from './daemon/daemon.ts'
export type {
  DaemonRuntime,
  HomeGit,
  Outside,
  Parts as DaemonParts,
} from './daemon/daemon-runtime.ts'
export { type DaemonStatus, stopRequest } from './daemon/daemon-status.ts'
export { describeTrouble } from './daemon/describe-trouble.ts'
export { readStatus } from './daemon/own-home.ts'
export type { DaemonContext } from './daemon-context.ts'
export type { Duty } from './duty.ts'
export type { Happening, Note } from './happening.ts'
export { type Http, type HttpOptions, startHttp } from './http/start-http.ts'
export { createInboxDuty, type InboxOptions } from './inbox/create-inbox-duty.ts'
export type { TaskAdder } from './inbox/handle-line.ts'
export { createMailboxDuty } from './mailboxes/create-mailbox-duty.ts'
export type { Problem, Problems } from './problems.ts'
export type { KeepRequest, KeptState, SessionKeeper } from './session-keeper.ts'
export { createSessionKeeper, type Keeper, type KeeperOptions } from './sessions/create-session-keeper.ts'
export { countTasks, type TaskCounts } from './tasks/count-tasks.ts'
export { createTaskDuty, type TaskDutyOptions } from './tasks/task-duty.ts'
export type { StoreResult, TaskStore } from './tasks/task-store.ts'
