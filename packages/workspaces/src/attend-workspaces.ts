import { type Attend, type Attention, messageOf } from '@cadre/core'
import type { WorkspaceKeeper } from './create-workspaces.ts'

/** Keeps the workspaces of sessions in step with what they do: every effect there is a commit. Never rejects. */
export function attendWorkspaces(keeper: WorkspaceKeeper): Attend {
  return (moment, session, signal) => {
    const { isolation, id } = session
    if (isolation?.kind !== 'own') return undefined
    switch (moment.kind) {
      case 'session.started':
        return moment.source === 'startup'
          ? undefined
          : told(keeper.reopen(session, moment.inDoubt ?? [], signal), 'could not be put in order')
      case 'call.settled': {
        const { effect } = moment.call.tool
        if (effect !== 'write' && effect !== 'execute') return undefined
        return told(keeper.commitCall(session, moment.call, signal), 'could not be committed to')
      }
      case 'session.ended':
        return isolation.session === id && isolation.base !== session.workspace
          ? told(keeper.leave(id), 'could not be removed')
          : undefined
      default:
        return undefined
    }
  }
}

async function told(work: Promise<unknown>, what: string): Promise<Attention | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return { notices: [{ code: 'workspace', message: `its workspace ${what}: ${messageOf(error)}` }] }
  }
}
