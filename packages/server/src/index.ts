export { assembleDaemon } from './assemble-daemon.ts'
export { readStatus } from './daemon/acquire-home.ts'
export { createDaemon } from './daemon/create-daemon.ts'
export { createProblems, problemLocation } from './daemon/create-problems.ts'
export { type DaemonStatus, stopRequest } from './daemon/daemon-status.ts'
export { describeSystemError } from './daemon/describe-system-error.ts'
export { openDaemonRuntime } from './daemon/open-daemon-runtime.ts'
export type { DaemonContext } from './daemon-context.ts'
export type { Duty } from './duty.ts'
export { exportHtml } from './http/export/export-html.ts'
export { exportRun } from './http/export/export-run.ts'
export { type LoginGrant, writeLogin } from './http/guard/login-file.ts'
export { type OpenedPage, openPage } from './http/open-page.ts'
export { createMailboxDuty } from './mailboxes/create-mailbox-duty.ts'
export { createRemoteKeeper } from './remote/create-remote-keeper.ts'
export {
  dropQueuedOrders,
  isCancelQueued,
  type QueuedStart,
  queueCancel,
  queuedStarts,
} from './remote/drop-queued-orders.ts'
export { SessionMirror } from './remote/session-mirror.ts'
export type { KeepRequest, KeptSessionState, SessionKeeper } from './session-keeper.ts'
export { createSessionKeeper, type Keeper } from './sessions/create-session-keeper.ts'
export { createTaskDuty } from './tasks/task-duty.ts'
export type { TaskStore } from './tasks/task-store.ts'
