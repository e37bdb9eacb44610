import {
  addSpent,
  addUsage,
  type CadreEvent,
  nothingCounted,
  type SpentBudget,
  type Usage,
} from '@cadre/core'
import type { SessionFacts } from './session-facts.ts'

/** Applies a session event to the session's facts. Events arrive in order, each exactly once. Returns whether anything has changed. */
export function applyEvent(facts: SessionFacts, event: CadreEvent): boolean {
  if (event.type === 'text.added' || event.type === 'call.judged') return false
  if (event.at > facts.updated) facts.updated = event.at
  switch (event.type) {
    case 'session.started':
      facts.state = 'working'
      facts.model = event.model
      facts.doing = 'starts'
      delete facts.outcome
      break
    case 'session.queued':
      facts.state = 'queued'
      break
    case 'session.unqueued':
      facts.state = 'working'
      break
    case 'round.started':
      facts.state = 'working'
      facts.doing = 'asks the model'
      break
    case 'reply.delayed':
      facts.doing = `is waiting for the model: ${event.reason}`
      break
    case 'reply.received':
      facts.usage = addUsage(facts.usage, event.usage)
      facts.spent = event.spent ?? addSpent(facts.spent, replySpending(event.usage))
      if (event.model !== undefined) facts.model = event.model
      break
    case 'call.started':
      facts.doing = `uses ${event.tool}`
      facts.spent = addSpent(facts.spent, { ...nothingCounted, calls: 1 })
      break
    case 'call.progressed':
      facts.doing = event.text.split('\n', 1)[0]?.slice(0, 120) ?? ''
      break
    case 'call.settled':
      facts.calls += 1
      for (const [name, call] of facts.questions) if (call === event.call) facts.questions.delete(name)
      break
    case 'person.asked':
      if (!facts.questions.has(event.question)) facts.asked += 1
      facts.questions.set(event.question, event.call)
      facts.state = 'waiting'
      facts.doing = 'is waiting for a decision'
      break
    case 'person.answered':
      facts.questions.delete(event.question)
      if (facts.questions.size === 0 && facts.state === 'waiting') facts.state = 'working'
      break
    case 'session.suspended':
      facts.state = 'waiting'
      break
    case 'session.ended':
      facts.state = 'ended'
      facts.outcome = event.report.status
      facts.questions.clear()
      if (event.spent !== undefined) facts.spent = event.spent
      delete facts.doing
      break
    default:
      break
  }
  return true
}

function replySpending(usage: Usage | undefined): SpentBudget {
  if (usage === undefined) return nothingCounted
  return { tokens: usage.input + usage.output, cost: usage.cost ?? 0, calls: 0 }
}
