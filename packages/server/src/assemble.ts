import { appendInbox, openHomeGit, openOutbox, openTaskFiles } from '@cadre/files'
import { createChatLogDuty } from './chat-logs/create-chat-log-duty.ts'
import type { ChannelFactories } from './daemon/channels.ts'
import type { DaemonOptions } from './daemon/daemon.ts'
import { createInboxDuty } from './inbox/create-inbox-duty.ts'
import { createMailboxDuty } from './mailboxes/create-mailbox-duty.ts'
import { createTaskDuty } from './tasks/task-duty.ts'
import { createWorkspacesDuty } from './workspaces/workspaces-duty.ts'

/** By the names they have in the configuration. Loaded when they are configured, and not before. */
const channels: ChannelFactories = {
  slack: async (context) =>
    (await import('./channels/slack/create-slack-channel.ts')).createSlackChannel(context),
  mail: async (context) =>
    (await import('./channels/mail/create-mail-channel.ts')).createMailChannel(context),
  webhook: async (context) =>
    (await import('./channels/webhook/create-webhook-channel.ts')).createWebhookChannel(context),
}

/** The daemon as it ships: everything it does beyond sessions, approvals and agents. The one place that names it. */
export function assemble({
  home,
}: Pick<DaemonOptions, 'home'>): Pick<
  DaemonOptions,
  'git' | 'duties' | 'channels' | 'receive' | 'listen' | 'repair'
> {
  const tasks = openTaskFiles({ folder: home.at('tasks') })
  return {
    git: (tell, ready) => openHomeGit(home, tell, { beginsAfter: ready }),
    duties: (context) => [
      createTaskDuty(context, { tasks }),
      createInboxDuty(context, { tasks }),
      createMailboxDuty(context),
      createChatLogDuty(context),
      createWorkspacesDuty(context),
    ],
    channels,
    receive: (file, line) => appendInbox(home, file, line),
    repair: () => openOutbox(home).repair(),
    listen: async (request) => (await import('./http/start-http.ts')).startHttp(request),
  }
}
