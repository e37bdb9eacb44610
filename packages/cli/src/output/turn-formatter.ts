import { type CadreEvent, callOf, type View } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine } from './clean-text.ts'
import { isSentBack, sentBackReason } from './sent-back-reason.ts'
import type { Style } from './style.ts'
import { truncateText } from './text-width.ts'

/** The result of each call of the entry agent, one line each. Expects events that are already in the view. */
export function createTurnFormatter(
  view: View,
  style: Style,
): (event: CadreEvent, columns: number) => string[] {
  let entry: string | undefined
  /** Children whose calls were answered before they ended. */
  const background = new Map<string, string>()

  function settled(event: Extract<CadreEvent, { type: 'call.settled' }>, columns: number): string[] {
    const call = callOf(view, event.session, event.call)
    if (call === undefined || (call.name === 'reportOut' && event.outcome === 'done')) return []
    const child = call.child === undefined ? undefined : view.sessions.get(call.child)
    const name = truncateText(callText(call.name, call.input), Math.max(20, Math.floor(columns / 2)))
    const isRunning = event.background === true && event.outcome === 'done'
    if (isRunning && call.child !== undefined) background.set(call.child, name)
    const ending = isRunning ? 'started' : (child?.report?.status ?? '')
    if (event.outcome === 'done') return [line(style.dim('→'), name, ending, columns)]
    const mark = event.outcome === 'cancelled' ? style.yellow('■') : style.red('✗')
    const why = cleanLine(event.content.slice(0, 1000))
    return [line(mark, name, `${event.outcome.replace('_', ' ')}: ${why}`, columns)]
  }

  function line(mark: string, name: string, ending: string, columns: number): string {
    if (ending === '') return `${mark} ${name}`
    return `${mark} ${name}  ${style.dim(truncateText(ending, Math.max(10, columns - name.length - 4)))}`
  }

  return (event, columns) => {
    if (event.type === 'session.started' && event.parent === undefined) entry = event.session
    if (event.type === 'session.ended' && background.has(event.session)) {
      const name = background.get(event.session) as string
      background.delete(event.session)
      const mark = event.report.status === 'completed' ? style.dim('←') : style.red('✗')
      return [line(mark, name, event.report.status, columns)]
    }
    if (event.session !== entry) return []
    switch (event.type) {
      case 'call.settled':
        return settled(event, columns)
      case 'message.added':
        if (!isSentBack(event)) return []
        return [line(style.yellow('!'), 'report sent back', sentBackReason(event.text), columns)]
      default:
        return []
    }
  }
}
