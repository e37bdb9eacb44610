import { type LifecycleHandler, type LifecycleResponse, messageOf } from '@cadre/core'
import type { WorkspaceKeeper } from './create-workspaces.ts'

/** Commits the changes of each call in the workspaces of sessions. Never rejects. */
export function createWorkspacesHandler(keeper: WorkspaceKeeper): LifecycleHandler {
  return (moment, session, signal) => {
    const { isolation, id } = session
    if (isolation?.kind !== 'own') return undefined
    switch (moment.kind) {
      case 'session.started':
        return moment.source === 'startup'
          ? undefined
          : reportFailure(keeper.reopen(session, moment.inDoubt ?? [], signal), 'prepare')
      case 'call.settled': {
        const { effect } = moment.call.tool
        if (effect !== 'write' && effect !== 'execute') return undefined
        return reportFailure(keeper.commitCall(session, moment.call, signal), 'commit to')
      }
      case 'session.ended':
        return isolation.session === id && isolation.base !== session.workspace
          ? reportFailure(keeper.leave(id), 'remove')
          : undefined
      default:
        return undefined
    }
  }
}

async function reportFailure(work: Promise<unknown>, action: string): Promise<LifecycleResponse | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return {
      notices: [
        { code: 'workspace', message: `cannot ${action} the session's workspace: ${messageOf(error)}` },
      ],
    }
  }
}
