import type { CallDetail } from '@cadre/api'
import { type CadreEvent, decisionOf, eventsOf, type StoredSession } from '@cadre/core'

type Facts = { -readonly [Key in keyof CallDetail]: CallDetail[Key] }
type Judged = Extract<CadreEvent, { type: 'call.judged' }>

/** A call from its session's journal, with the gate's and the person's decisions. `undefined` if there is no such call. */
export function readCallDetail(stored: StoredSession, id: string): CallDetail | undefined {
  const events = eventsOf(stored)
  const reply = events.find(
    (event) => event.type === 'reply.received' && event.calls.some((one) => one.id === id),
  )
  if (reply?.type !== 'reply.received') return undefined
  const call = reply.calls.find((one) => one.id === id)
  if (call === undefined) return undefined
  const detail: Facts = {
    id,
    session: stored.spec.id,
    agent: stored.spec.agent.name,
    tool: call.name,
    input: call.input,
    status: 'pending',
    asked: reply.at,
  }
  for (const event of events) apply(detail, event)
  return detail
}

function apply(detail: Facts, event: CadreEvent): void {
  switch (event.type) {
    case 'call.judged':
      if (event.call === detail.id) judge(detail, event)
      break
    case 'call.started':
      if (event.call !== detail.id) break
      detail.status = 'running'
      detail.started = event.at
      if (event.child !== undefined) detail.child = event.child
      break
    case 'person.asked':
      if (event.call === detail.id) detail.status = 'waiting'
      break
    case 'person.answered': {
      if (event.question.split('/').slice(1).join('/') !== detail.id) break
      const { decision, by, reason, at } = event
      detail.person = {
        decision,
        at,
        ...(by !== undefined && { by }),
        ...(reason !== undefined && { reason }),
      }
      if (detail.status === 'waiting') detail.status = 'pending'
      break
    }
    case 'call.settled':
      if (event.call !== detail.id || event.background === true) break
      detail.status = event.outcome
      detail.settled = event.at
      detail.content = event.content
      if (event.code !== undefined) detail.code = event.code
      break
    case 'session.ended':
      if (isOpen(detail)) detail.status = 'cancelled'
      break
    default:
      break
  }
}

/** The gate makes the first decision. After a person has approved, the gate decides again. */
function judge(detail: Facts, judged: Judged): void {
  const { input } = judged
  if (input !== detail.input && !isSameJson(input, detail.input)) detail.ran = input
  if (detail.verdict !== undefined && detail.verdict.decision === 'ask') return
  detail.verdict = decisionOf(judged)
}

function isOpen({ status }: Facts): boolean {
  return status === 'pending' || status === 'running' || status === 'waiting'
}

function isSameJson(a: string, b: string): boolean {
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b))
  } catch {
    return false
  }
}
