import { applyToView, type CadreEvent, callOf, emptyView } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine } from './clean-text.ts'
import { formatTokens } from './numbers.ts'
import { isSentBack, sentBackReason } from './sent-back-reason.ts'
import { sessionName } from './session-name.ts'
import type { Surface } from './surface.ts'
import { truncateText } from './text-width.ts'
import { workText } from './work-text.ts'

const maxWidth = 160

/** For output without a terminal: one line per event, with the agent first. `say` receives other lines. */
export function createPlainLines(write: (line: string) => void, say: (line: string) => void): Surface {
  const view = emptyView()
  /** The sessions seen of each agent, up to a limit: from the second one, their ids are shown. */
  const seen = new Map<string, Set<string>>()
  return {
    event(event) {
      applyToView(view, event)
      if (event.type === 'session.started') note(event.agent, event.session)
      const line = lineOf(event)
      if (line === undefined) return
      write(`${nameOf(event.session)}: ${truncateText(line, maxWidth)}`)
    },
    say,
    pause() {},
    resume() {},
    end() {},
  }

  function lineOf(event: CadreEvent): string | undefined {
    switch (event.type) {
      case 'session.started': {
        if (!event.resumed) return `started (session ${event.session}) ${workText(event.work)}`
        return `resumed (session ${event.session}) ${workText(event.message ?? '')}`.trimEnd()
      }
      case 'session.queued':
        return 'queued: the limit on concurrent sessions is reached'
      case 'call.started':
        // The end of the session follows immediately, with the same content.
        if (event.tool === 'reportOut') return undefined
        return `→ ${textOfCall(event.session, event.call)}`
      case 'call.settled': {
        if (event.outcome === 'done' && isReport(event.session, event.call)) return undefined
        const said = event.outcome === 'done' ? '' : `: ${cleanLine(event.content)}`
        const outcome = event.background && event.outcome === 'done' ? 'started' : event.outcome
        return `← ${textOfCall(event.session, event.call)} ${outcome}${said}`
      }
      case 'person.asked':
        return `waiting for a decision: ${cleanLine(event.text)}`
      case 'person.answered':
        return `decided: ${cleanLine(event.decision)}${event.by === undefined ? '' : ` by ${cleanLine(event.by)}`}`
      case 'notice.added':
        return `note: ${cleanLine(event.notice.message)}`
      case 'reply.delayed':
        if (event.ms === undefined) return cleanLine(event.reason)
        return `retrying in ${Math.ceil(event.ms / 1000)} s: ${cleanLine(event.reason)}`
      case 'context.compacted':
        return 'older rounds were summarised'
      case 'journal.edited':
        return `journal edited: ${cleanLine(event.summary)}`
      case 'session.suspended':
        // A daemon or a worker that shuts down pauses its sessions. The next daemon or another worker continues them.
        return event.questions.length > 0 ? 'suspended until a person decides' : 'paused by a shutdown'
      case 'session.ended': {
        const why = event.report.status === 'completed' ? '' : (event.report.notices?.at(-1)?.message ?? '')
        return `${event.report.status} (${formatTokens(event.report.usage)})${why === '' ? '' : `: ${cleanLine(why)}`}`
      }
      case 'message.added':
        return isSentBack(event) ? `report sent back: ${sentBackReason(event.text)}` : undefined
      case 'round.started':
      case 'reply.received':
      case 'session.unqueued':
      case 'text.added':
      case 'call.progressed':
        return undefined
    }
  }

  function note(agent: string, session: string): void {
    const known = seen.get(agent) ?? new Set<string>()
    seen.set(agent, known.size < 2 ? known.add(session) : known)
  }

  function nameOf(id: string): string {
    const session = view.sessions.get(id)
    if (session === undefined) return cleanLine(id)
    if (session.team !== undefined) return sessionName(session)
    const { agent } = session
    const isOne = (seen.get(agent)?.size ?? 0) < 2
    return isOne
      ? cleanLine(agent)
      : `${cleanLine(agent)}-${cleanLine(id.slice(id.lastIndexOf('-') + 1)).slice(0, 3)}`
  }

  function textOfCall(session: string, id: string): string {
    const call = callOf(view, session, id)
    return call === undefined || call.name === ''
      ? cleanLine(id)
      : truncateText(callText(call.name, call.input), 100)
  }

  function isReport(session: string, id: string): boolean {
    return callOf(view, session, id)?.name === 'reportOut'
  }
}
