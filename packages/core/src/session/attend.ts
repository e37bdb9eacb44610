import { messageOf } from '../ports/errors.ts'
import type { Attention, Moment } from '../ports/moment.ts'
import type { Work } from '../ports/session-spec.ts'
import { notice, record, requireLife, type Session, say } from './session.ts'

const never = new AbortController().signal

/**
 * Tells whoever attends of a moment of this session, and takes up what is said for the person and about its end. The rest
 * is for the caller. Whoever attends must not throw; that they do is told, and changes nothing.
 */
export async function attend(session: Session, moment: Moment): Promise<Attention | undefined> {
  const { ports, spec, node } = session
  if (ports.attend === undefined) return undefined
  requireLife(session)
  let said: Attention | undefined
  try {
    // A session that ends is often one that was stopped: its last moment is told all the same.
    said = await ports.attend(moment, spec, moment.kind === 'session.ended' ? never : node.signal)
  } catch (error) {
    const message = `a handler of ${moment.kind} failed: ${messageOf(error)}`
    // The record of a session that has ended is closed.
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
  /** The id of the message that caused it and was refused. */
  readonly message?: string | undefined
}

/** Ends the session before its next move. It is in the record, so it holds for every later life, until a person speaks. */
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

/** What is said from outside, as a message to the model. */
export async function addContext(session: Session, content: string | undefined): Promise<void> {
  if (content === undefined || content === '') return
  await say(session, `context/${session.state.seq}`, { content, from: 'hook' })
}

/** Whether what a person says to an entry session is taken. What is not never reaches the model. */
export async function attendPrompt(
  session: Session,
  { content: prompt, message }: Work,
): Promise<{ readonly taken: boolean; readonly context?: string }> {
  if (session.spec.parent !== undefined) return { taken: true }
  const said = await attend(session, { kind: 'prompt.given', prompt })
  if (said?.blocked !== undefined) {
    await stop(session, { reason: said.blocked, status: 'error', code: 'hook_denied', message })
    return { taken: false }
  }
  return { taken: true, ...(said?.context && { context: said.context }) }
}
