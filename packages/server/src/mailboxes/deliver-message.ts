import { CadreError, type SessionSpec } from '@cadre/core'
import { type MailMessage, type MailReceipt, mailText } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import { sessionName } from '../inbox/inbox-session-name.ts'
import { inheritedControls, isUnder } from '../inherited-controls.ts'

export type Delivery = Pick<MailReceipt, 'deliveredTo' | 'began' | 'undeliverable'>

export interface DeliveryRequest {
  readonly message: MailMessage
  /** The session that messages to this agent have begun last. */
  readonly last: string | undefined
  /** Whether an earlier life of the daemon may have delivered it. */
  readonly inDoubt: boolean
}

/**
 * Queues one message for a session. Safe to repeat: a session receives a message once, and the id of a session that a message starts
 * is derived from the message. Rejects when the message cannot be queued now.
 *
 * What held for whoever wrote it holds for a session that it begins, and a session for which it does not hold does not get it:
 * nobody has others do what they may not do. A session that it begins spends from the budget of whoever wrote it.
 */
export async function deliverMessage(request: DeliveryRequest, context: DaemonContext): Promise<Delivery> {
  const { message, last, inDoubt } = request
  const { sessions, agents } = context
  const id = messageId(message)
  const work = { content: mailText(message, message.session || undefined), from: message.from, message: id }
  const { toSession } = message
  const controls = await inheritedControls(context, [message.session])
  if (toSession !== undefined) {
    const state = await sessions.state(toSession)
    if (state.kind === 'broken') return undeliverable(`its session is damaged: ${state.message}`)
    if (!(await isUnder(context, toSession, controls)))
      return undeliverable(
        'that session does not run under the same controls as you. Write to the agent instead.',
      )
    const told = await sessions.tell(toSession, work)
    return told === 'queued' ? { deliveredTo: toSession } : undeliverable('that session no longer exists.')
  }
  const agent = agents.get(message.to)?.name ?? ''
  if (agent === '') return undeliverable(`agent ${message.to} no longer exists.`)
  const session = sessionName(agent, id)
  // What an earlier life has begun with it is where it goes, whatever else there is by now.
  if (inDoubt && (await sessions.state(session)).kind !== 'absent') return begin()
  if (last !== undefined && last !== message.session) {
    // The message may have been queued before a crash, and the session may have ended since. Do not send it to another session.
    if (inDoubt && (await sessions.delivery(last, id)) !== 'unknown') return { deliveredTo: last }
    const { kind } = await sessions.state(last)
    const isThere = kind === 'running' || kind === 'waiting'
    const isFit =
      (await isUnder(context, last, controls)) && (await spendsFor(context, last, message.session))
    if (isThere && isFit && (await sessions.tell(last, work)) === 'queued') return { deliveredTo: last }
  }
  return begin()

  async function begin(): Promise<Delivery> {
    await sessions.tell(session, work, {
      agent,
      ...(controls && { controls }),
      ...(message.session !== '' && { charged: message.session }),
    })
    return { deliveredTo: session, began: true }
  }

  async function undeliverable(reason: string): Promise<Delivery> {
    if (message.session !== '') {
      const content = returnedText(message, reason)
      await sessions.tell(message.session, { content, from: 'cadre', message: `returned/${id}` })
    }
    return { undeliverable: reason }
  }
}

function messageId({ to, id }: MailMessage): string {
  return `mail/${to}/${id}`
}

/** What the one who wrote it is told when nobody could be found. */
function returnedText({ to, toSession, text }: MailMessage, reason: string): string {
  const address = toSession ?? to
  const shown = text.length > 500 ? `${text.slice(0, 500)}…` : text
  return `Cadre could not deliver your message to ${address}: ${reason} Your message:\n\n${shown}`
}

type Records = Pick<DaemonContext, 'engine'>

/** Whether what this session does is paid for by whoever wrote to it, if that one has a budget at all. */
async function spendsFor(records: Records, session: string, writer: string): Promise<boolean> {
  if (!(await hasBudget(records, writer))) return true
  return (await specOf(records, session))?.limits.charged?.session === writer
}

/** Of its own, or of a session above it. */
async function hasBudget(records: Records, session: string): Promise<boolean> {
  const seen = new Set<string>()
  for (let id: string | undefined = session; id !== undefined && !seen.has(id); ) {
    seen.add(id)
    const spec: SessionSpec | undefined = await specOf(records, id)
    if (spec?.limits?.budget !== undefined || spec?.limits?.run?.budget !== undefined) return true
    id = spec?.parent?.session ?? spec?.limits?.charged?.session
  }
  return false
}

async function specOf({ engine }: Records, session: string): Promise<SessionSpec | undefined> {
  try {
    return (await engine.read(session))?.spec
  } catch (error) {
    // What cannot be the name of a session names somebody else.
    if (error instanceof CadreError && error.code === 'usage') return undefined
    throw error
  }
}
