import { CadreError, type SessionSpec } from '@cadre/core'
import { type MailMessage, type MailReceipt, mailText } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import { sessionName } from '../inbox/inbox-session-name.ts'
import { hasControls, inheritedControls } from '../inherited-controls.ts'
import { inheritedRequesters } from '../inherited-requesters.ts'

export type Delivery = Pick<MailReceipt, 'deliveredTo' | 'began' | 'undeliverable'>

export interface DeliveryRequest {
  readonly message: MailMessage
  /** The last session that a message to this agent started. */
  readonly last: string | undefined
  /** True if an earlier daemon may have delivered it. */
  readonly inDoubt: boolean
}

/**
 * Queues one message for a session. Safe to repeat: a session receives a message once, and the id of a session that a message starts is
 * derived from the message. Rejects if the message cannot be queued now.
 *
 * A session that it starts inherits the controls of the sender, and a session without these controls does not receive it, so no agent can
 * bypass its controls. The sender's budget pays for a session that it starts.
 */
export async function deliverMessage(request: DeliveryRequest, context: DaemonContext): Promise<Delivery> {
  const { message, last, inDoubt } = request
  const { sessions, agents } = context
  const id = messageId(message)
  const by = await inheritedRequesters(context, [message.session])
  const content = mailText(message, message.session || undefined)
  const work = { content, from: message.from, message: id, ...(by.length > 0 && { by }) }
  const { toSession } = message
  const controls = await inheritedControls(context, [message.session])
  if (toSession !== undefined) {
    const state = await sessions.state(toSession)
    if (state.kind === 'broken') return undeliverable(`the recipient's session is damaged: ${state.message}`)
    if (!(await hasControls(context, toSession, controls)))
      return undeliverable('that session has different restrictions from yours. Write to the agent instead.')
    const told = await sessions.tell(toSession, work)
    return told === 'queued' ? { deliveredTo: toSession } : undeliverable('that session no longer exists.')
  }
  const agent = agents.get(message.to)?.name ?? ''
  if (agent === '') return undeliverable(`agent ${message.to} no longer exists.`)
  const session = sessionName(agent, id)
  // If an earlier daemon started a session with this message, it goes there, even if there are newer sessions.
  if (inDoubt && (await sessions.state(session)).kind !== 'absent') return begin()
  if (last !== undefined && last !== message.session) {
    // The message may have been queued before a crash, and the session may have ended since. Do not send it to another session.
    if (inDoubt && (await sessions.delivery(last, id)) !== 'unknown') return { deliveredTo: last }
    const { kind } = await sessions.state(last)
    const isThere = kind === 'running' || kind === 'waiting'
    const isFit =
      (await hasControls(context, last, controls)) && (await spendsFor(context, last, message.session))
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
      const returned = returnedText(message, reason)
      await sessions.tell(message.session, { content: returned, from: 'cadre', message: `returned/${id}` })
    }
    return { undeliverable: reason }
  }
}

function messageId({ to, id }: MailMessage): string {
  return `mail/${to}/${id}`
}

/** The message to the sender if no receiver was found. */
function returnedText({ to, toSession, text }: MailMessage, reason: string): string {
  const address = toSession ?? to
  const shown = text.length > 500 ? `${text.slice(0, 500)}…` : text
  return `Cadre could not deliver your message to ${address}: ${reason} Your message:\n\n${shown}`
}

type Records = Pick<DaemonContext, 'engine'>

/** Returns whether the sender's budget, if it has one, pays for this session. */
async function spendsFor(records: Records, session: string, writer: string): Promise<boolean> {
  if (!(await hasBudget(records, writer))) return true
  return (await specOf(records, session))?.limits.charged?.session === writer
}

/** Returns whether the session or one above it has a budget. */
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
    // A name that cannot be a session id is the name of a person.
    if (error instanceof CadreError && error.code === 'usage') return undefined
    throw error
  }
}
