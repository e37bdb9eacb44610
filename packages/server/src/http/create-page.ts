/**
 * A home's page: the session index, the event stream, and the site that a server serves. Both the daemon and `cadre open` without a daemon
 * create one, with different ports.
 */
import type { CadreEvent } from '@cadre/core'
import type { ApiContext } from './api-context.ts'
import { type ApprovalFeed, createApprovalFeed } from './index/approval-feed.ts'
import { createRowPatches } from './index/row-patches.ts'
import { createSessionFeed } from './index/session-feed.ts'
import { createSessionIndex, type SessionIndex } from './index/session-index.ts'
import { createHub } from './stream/hub.ts'

export type PagePorts = Omit<ApiContext, 'index' | 'hub'>

export interface Page {
  readonly context: ApiContext
  /** Reads all sessions. Resolves when lists are complete. */
  build(): Promise<void>
  /** Handles an event from a session in this process. */
  take(event: CadreEvent): void
  /** Files in the home that were created, changed or deleted, relative to it. */
  changed(files: readonly string[]): void
  /** Call this when problems, tasks or the status have changed. */
  noted(what: 'problems' | 'status'): void
  /** Finds sessions whose process has ended. */
  checkProcesses(): void
  /** Resolves when everything seen so far is read and sent. For tests. */
  idle(): Promise<void>
  stop(): void
}

const sessionFile = /^sessions\/(.+)\.session\.yaml$/

export function createPage(ports: PagePorts): Page {
  const hub = createHub()
  const patches = createRowPatches(hub, (): SessionIndex => index)
  const index: SessionIndex = createSessionIndex({
    changed: (id) => patches.changed(id),
    removed: (id) => patches.removed(id),
  })
  const context: ApiContext = { ...ports, hub, index }
  const approvals: ApprovalFeed = createApprovalFeed(() => context)
  const feed = createSessionFeed({
    home: ports.home,
    index,
    hub,
    sessions: ports.sessions,
    asked: (session) => {
      if ((index.facts(session)?.asked ?? 0) > 0) approvals.look(session)
    },
  })
  return {
    context,
    build: () => feed.build(),
    take: (event) => feed.take(event),
    changed(files) {
      feed.changed(files.flatMap((file) => sessionFile.exec(file)?.[1] ?? []))
      if (files.some((file) => file.startsWith('tasks/'))) hub.publish(() => ({ type: 'tasks.changed' }))
    },
    noted(what) {
      hub.publish(() =>
        what === 'problems'
          ? { type: 'problems.changed', count: ports.problems().length }
          : { type: 'status' },
      )
    },
    checkProcesses: () => feed.checkProcesses(),
    async idle() {
      await feed.idle()
      await approvals.idle()
      patches.flush()
    },
    stop() {
      feed.stop()
      patches.stop()
      hub.close()
    },
  }
}
