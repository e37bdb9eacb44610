import { isEndedStatus } from '@cadre/core'
import { holdLease } from '@cadre/home'
import { sessionSummaryOf } from '@cadre/journal'
import { createWorkspaces } from '@cadre/workspaces'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'

/**
 * Removes workspaces of ended sessions that a crash has left, if no work would be lost. Holds the session's lease meanwhile, so that
 * it cannot be resumed.
 */
export function createWorkspacesDuty({ home, note }: Pick<DaemonContext, 'home' | 'note'>): Duty {
  const workspaces = createWorkspaces({ home })
  const isEnded = (session: string) => {
    const { status } = sessionSummaryOf(home, session) ?? {}
    return isEndedStatus(status)
  }
  return {
    name: 'workspaces',
    folders: [],
    async start() {
      for (const { session, life, state } of await workspaces.list()) {
        if (life !== 'ended' || (state !== 'empty' && state !== 'merged')) continue
        const attempt = holdLease(home, workspaces.find(session).root)
        if (attempt.kind === 'owned') continue
        try {
          if (isEnded(session) && (await workspaces.leave(session)))
            note({
              type: 'workspace.removed',
              message: `Removed the leftover workspace of ${session}.`,
              session,
            })
        } finally {
          attempt.lease.release()
        }
      }
    },
    changed: async () => {},
  }
}
