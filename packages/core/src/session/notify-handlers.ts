import { messageOf } from '../ports/errors.ts'
import type { LifecycleEvent, LifecycleResponse } from '../ports/lifecycle-event.ts'
import type { Work } from '../ports/session-spec.ts'
import { notice, record, requireOwnership, type Session, say } from './session.ts'

const never = new AbortController().signal

/**
 * Calls the `onLifecycleEvent` port for a moment of this session, and records its notices and its stop. Returns the response for the caller. If the
 * port throws, a notice reports it, and nothing else changes.
 */
export async function notifyHandlers(
  session: Session,
  moment: LifecycleEvent,
): Promise<LifecycleResponse | undefined> {
  const { ports, spec, node } = session
  if (ports.onLifecycleEvent === undefined) return undefined
  requireOwnership(session)
  let said: LifecycleResponse | undefined
  try {
    // A session that ends was often stopped. Its last moment must still be delivered.
    said = await ports.onLifecycleEvent(moment, spec, moment.kind === 'session.ended' ? never : node.signal)
  } catch (error) {
    const message = `a handler for ${moment.kind} failed: ${messageOf(error)}`
    // The journal of an ended session is closed.
    if (moment.kind === 'session.ended')
      session.emit({ type: 'notice.added', notice: { code: 'attend', message } })
    else await notice(session, 'attend', message)
    return undefined
  }
  if (moment.kind === 'session.ended') return undefined
  for (const { code, message } of said?.notices ?? []) await notice(session, code, message)
  if (said?.stop !== undefined) await stop(session, { reason: said.stop })
  return said
}

export interface Stop {
  readonly reason: string
  readonly status?: 'incomplete' | 'error'
  readonly code?: string
  /** The id of the refused message that caused the stop. */
  readonly message?: string | undefined
}

/** Ends the session before its next move. The stop is recorded, so it applies to later lives until a person sends a message. */
export async function stop(
  session: Session,
  { reason, status = 'incomplete', code = 'stopped', message }: Stop,
): Promise<void> {
  const draft = { role: 'event', type: 'session.stopped', status, code, content: reason } as const
  await record(
    session,
    `stopped/${session.state.seq}`,
    () => [message === undefined ? draft : { ...draft, message }],
    { durable: message !== undefined },
  )
}

/** Adds text from hooks as a message to the model. */
export async function addContext(session: Session, content: string | undefined): Promise<void> {
  if (content === undefined || content === '') return
  await say(session, `context/${session.state.seq}`, { content, from: 'hook' })
}

/** Returns whether an entry session accepts a person's message. A refused message never reaches the model. */
export async function checkPrompt(
  session: Session,
  { content: prompt, message }: Work,
): Promise<{ readonly taken: boolean; readonly context?: string }> {
  if (session.spec.parent !== undefined) return { taken: true }
  const said = await notifyHandlers(session, { kind: 'prompt.given', prompt })
  if (said?.blocked !== undefined) {
    await stop(session, { reason: said.blocked, status: 'error', code: 'hook_denied', message })
    return { taken: false }
  }
  return { taken: true, ...(said?.context && { context: said.context }) }
}
