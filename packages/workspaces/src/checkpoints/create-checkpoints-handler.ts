import type { LifecycleHandler, LifecycleResponse, Workspaces } from '@cadre/core'
import type { Checkpoints } from './open-checkpoints.ts'

/** Makes checkpoints of changes in shared workspaces, and tells agents what a person has undone. Never rejects. */
export function createCheckpointsHandler(checkpoints: Checkpoints): LifecycleHandler {
  /** By entry session: the number of notes that its agent has received. */
  const told = new Map<string, number>()
  return (moment, session) => {
    if (session.isolation?.kind === 'own') return undefined
    switch (moment.kind) {
      case 'session.started':
        if (session.parent === undefined) checkpoints.resumeTurn(session.root)
        return undefined
      case 'prompt.given': {
        if (session.parent !== undefined) return undefined
        checkpoints.beginTurn(session.root, moment.prompt)
        const notes = checkpoints.notes(session.root)
        if (notes.length === 0) return undefined
        told.set(session.root, notes.length)
        return { context: notes.join('\n\n') }
      }
      case 'call.starting':
        return moment.readsOnly ? undefined : toAttention(checkpoints.startCall(session, moment.call))
      case 'call.settled': {
        const { effect } = moment.call.tool
        if (effect !== 'write' && effect !== 'execute') return undefined
        return toAttention(checkpoints.finishCall(session, moment.call.call.id))
      }
      case 'session.ended': {
        const count = session.parent === undefined ? told.get(session.root) : undefined
        // Only now is the message that contains them certainly recorded.
        if (count !== undefined) checkpoints.forgetNotes(session.root, count)
        told.delete(session.root)
        return checkpoints.endSession(session).then(() => undefined)
      }
      default:
        return undefined
    }
  }
}

async function toAttention(work: Promise<string | undefined>): Promise<LifecycleResponse | undefined> {
  const message = await work
  return message === undefined ? undefined : { notices: [{ code: 'checkpoint', message }] }
}

/** Merging the changes of an isolated session into a shared workspace is part of the turn. */
export function withCheckpoints(workspaces: Workspaces, checkpoints: Checkpoints): Workspaces {
  return {
    prepare: (request, signal) => workspaces.prepare(request, signal),
    settle: (session, status) => {
      const { isolation } = session
      if (isolation?.kind !== 'own' || isolation.returns !== true || isolation.session !== session.id)
        return workspaces.settle(session, status)
      const { isolation: _, ...shared } = session
      const base = { ...shared, workspace: isolation.base }
      return checkpoints.around(base, 'merge', () => workspaces.settle(session, status))
    },
  }
}
