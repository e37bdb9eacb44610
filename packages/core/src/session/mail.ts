import type { Ports } from '../ports/ports.ts'
import type { SessionSpec, Work } from '../ports/session-spec.ts'
import { recordMessage } from './record-message.ts'
import type { Session } from './session.ts'
import type { SessionState } from './session-state.ts'

/** Returns whether an ended session continues because its team has sent it a message. A session that a person stopped stays stopped. */
export function shouldWake(spec: SessionSpec, state: SessionState, ports: Ports): boolean {
  if (state.ended?.status === 'cancelled' && state.cancelledBy === 'person') return false
  return unread(spec, state, ports).length > 0
}

/** Returns whether a running session has messages that are not recorded yet, from its team or from outside. */
export function hasUnrecordedMessages(session: Session): boolean {
  return session.hasMessages() || hasTeamMessages(session)
}

/** Returns whether a running session has messages of its team that are not recorded yet. */
export function hasTeamMessages({ spec, state, ports }: Session): boolean {
  return unread(spec, state, ports).length > 0
}

/** Records the messages of its team, in order, each once. */
export async function recordMail(session: Session): Promise<void> {
  const { spec, state, ports, node } = session
  for (const work of unread(spec, state, ports)) {
    if (node.isStopped) return
    const isNew = !session.state.receivedMessages.has(work.message as string)
    await recordMessage(session, work)
    if (isNew) session.emit({ type: 'message.added', from: work.from ?? 'person', text: work.content })
    await ports.teams?.received(spec.id, work.message as string)
  }
}

function unread({ id, team }: SessionSpec, { teams }: SessionState, ports: Ports): readonly Work[] {
  // Most sessions have no team, so skip the lookup.
  if (team === undefined && teams.size === 0) return []
  return ports.teams?.unread(id) ?? []
}
