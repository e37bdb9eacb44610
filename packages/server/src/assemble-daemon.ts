import { channelFactories } from '@cadre/channels'
import { appendInbox, openHomeGit, openOutbox } from '@cadre/home'
import { openTaskFiles } from '@cadre/tasks'
import { createChatLogDuty } from './chat-logs/create-chat-log-duty.ts'
import { createDaemonPage, type DaemonPageOptions } from './daemon/create-daemon-page.ts'
import type { DaemonOptions } from './daemon/daemon.ts'
import { createSharedHttp } from './http/shared-http.ts'
import { createInboxDuty } from './inbox/create-inbox-duty.ts'
import { createMailboxDuty } from './mailboxes/create-mailbox-duty.ts'
import { createTaskDuty } from './tasks/task-duty.ts'
import { createWorkspacesDuty } from './workspaces/workspaces-duty.ts'

/** Assembles the daemon of `cadre up`: its duties, channels and HTTP server. Only this file lists them. */
export function assembleDaemon({
  home,
  page,
}: Pick<DaemonOptions, 'home'> & { readonly page?: DaemonPageOptions }): Pick<
  DaemonOptions,
  'git' | 'duties' | 'channels' | 'receive' | 'listen' | 'page' | 'repair'
> {
  const http = createSharedHttp()
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
    channels: channelFactories,
    receive: (file, line) => appendInbox(home, file, line),
    repair: () => openOutbox(home).repair(),
    listen: (request) => http.openPosts(request, request.posts),
    ...(page && { page: (parts) => createDaemonPage(parts, http, page) }),
  }
}
