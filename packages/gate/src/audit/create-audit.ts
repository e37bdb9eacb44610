import { type CadreEvent, decisionOf, type Json, parseJson } from '@cadre/core'
import { type AuditLogOptions, openAuditLog } from './audit-log.ts'

/**
 * Records who decided what: every verdict of the gate, every question to a person and every answer, with the complete
 * actions. Receives all events of a run and ignores those that decide nothing. Must not throw and must not wait.
 */
export function createAudit(options: AuditLogOptions): (event: CadreEvent) => void {
  const log = openAuditLog(options)
  const agents = new Map<string, string>()
  return (event) => {
    const { at, session, type } = event
    if (type === 'session.started') agents.set(session, event.agent)
    const said = factsOf(event)
    if (said === undefined) return
    const agent = agents.get(session)
    log.appendSoon({ at, type, session, ...(agent !== undefined && { agent }), ...said })
    if (type === 'session.ended') agents.delete(session)
  }
}

type Facts = { readonly [field: string]: Json }

function factsOf(event: CadreEvent): Facts | undefined {
  switch (event.type) {
    case 'session.started': {
      const { root, depth, parent, resumed } = event
      return { root, depth, ...(parent && { parent: { ...parent } }), ...(resumed && { resumed }) }
    }
    case 'call.judged': {
      const { call, agent, tool, input } = event
      return { call, agent, tool, input: readable(input), ...decisionOf(event) }
    }
    case 'person.asked': {
      const { question, call, text, choices } = event
      return { question, call, text, choices }
    }
    case 'person.answered': {
      const { question, decision, by, reason, votes } = event
      return {
        question,
        decision,
        ...(by !== undefined && { by }),
        ...(reason !== undefined && { reason }),
        ...(votes !== undefined && { votes: votes.map((vote) => ({ ...vote })) }),
      }
    }
    case 'call.settled': {
      const { call, outcome, code } = event
      return { call, outcome, ...(code !== undefined && { code }) }
    }
    case 'session.ended':
      return { status: event.report.status }
    default:
      return undefined
  }
}

/** Parses JSON arguments, so that readers of the log do not have to. */
function readable(input: string): Json {
  const parsed = parseJson(input)
  return parsed.ok && typeof parsed.value === 'object' ? (parsed.value as Json) : input
}
