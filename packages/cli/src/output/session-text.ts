import type { SessionView, View } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine } from './clean-text.ts'
import { sentBackReason } from './sent-back-reason.ts'
import { awaitedBy, type ShownState } from './shown-state.ts'
import type { Style } from './style.ts'

export function symbolOf(session: SessionView, state: ShownState, style: Style, working = '●'): string {
  switch (state) {
    case 'queued':
      return style.dim('○')
    case 'waiting':
      return style.yellow('?')
    case 'working':
      return style.cyan(working)
    case 'paused':
    case 'stopped':
      return style.yellow('■')
    case 'ended':
      return endSymbol(session.report?.status, style)
  }
}

function endSymbol(status: string | undefined, style: Style): string {
  switch (status) {
    case 'completed':
      return style.green('✓')
    case 'incomplete':
      return style.yellow('!')
    case 'cancelled':
      return style.yellow('■')
    default:
      return style.red('✗')
  }
}

/** The current activity of a session, in a few words. */
export function activityOf(session: SessionView, view: View): string {
  switch (session.state) {
    case 'queued':
      return 'queued'
    case 'waiting':
      return waitingFor(session, view)
    case 'working':
      return work(session, view)
    case 'ended':
      return endText(session)
  }
}

function waitingFor(session: SessionView, view: View): string {
  switch (awaitedBy(session, view)) {
    case 'decision': {
      const [question] = session.questions.values()
      return `waiting for a decision: ${cleanLine(question?.text ?? '')}`
    }
    case 'child-decision':
      return 'waiting for a decision in a child session'
    case 'resume-with-decision':
      return 'decided; the session continues when it is resumed'
    case 'resume':
      return pausedText
  }
}

/** No question is open: the process that ran the session was told to stop. */
const pausedText = 'paused by a shutdown'

function work(session: SessionView, view: View): string {
  const round = session.rounds.at(-1)
  if (round === undefined) return 'starting'
  const at = `round ${round.roundId}`
  const open = round.toolCalls.filter((call) => call.status === 'running' || call.status === 'waiting')
  const [call] = open
  if (call !== undefined) {
    const below = open.flatMap((other) => (other.child === undefined ? [] : [view.sessions.get(other.child)]))
    if (below.length === open.length) return `${at} · waiting for ${names(below)}`
    const more = open.length === 1 ? '' : ` (+${open.length - 1})`
    const progress = call.progress === undefined ? '' : ` · ${cleanLine(call.progress)}`
    return `${at} · ${callText(call.name, call.input)}${more}${progress}`
  }
  const tail = round.toolCalls.length === 0 ? cleanLine(round.reply.slice(-400)) : ''
  if (tail !== '') return `${at} · ${tail.slice(-200)}`
  if (session.delayed !== undefined) return `${at} · ${cleanLine(session.delayed)}`
  const why = (round.sentBack ?? session.rounds.at(-2)?.sentBack) || ''
  return why === '' ? at : `${at} · report sent back: ${sentBackReason(why)}`
}

function names(sessions: readonly (SessionView | undefined)[]): string {
  const known = sessions.flatMap((session) => (session === undefined ? [] : [cleanLine(session.agent)]))
  if (known.length === 0) return 'its agents'
  const shown = known.slice(0, 3).join(', ')
  return known.length > 3 ? `${shown} and ${known.length - 3} more` : shown
}

function endText({ report }: SessionView): string {
  if (report === undefined) return 'ended'
  if (report.status === 'completed') return 'completed'
  const why = report.notices?.at(-1)?.message
  return why === undefined ? report.status : `${report.status}: ${cleanLine(why)}`
}
