import type { CadreEvent, StoredSession } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { handoffLines } from './handoff-text.ts'
import { reportText } from './report-text.ts'
import { sentBack } from './sent-back.ts'
import type { Style } from './style.ts'
import { cutText } from './text-width.ts'

/** A whole session for a person: its header, then what happened, round by round. */
export function journalText(
  stored: StoredSession,
  events: readonly CadreEvent[],
  path: string,
  style: Style,
): string {
  const { spec, status, outcome, updated } = stored
  const fields: [string, string | undefined][] = [
    ['session', spec.id],
    ['agent', spec.agent.name],
    ['parent', spec.parent && `${spec.parent.session} (${spec.parent.call})`],
    ['model', spec.model],
    ['status', outcome === undefined || outcome === status ? status : `${status} (${outcome})`],
    ['created', spec.created],
    ['updated', updated],
    ['workspace', spec.workspace],
    ['file', path],
  ]
  const head = fields.flatMap(([key, value]) =>
    value === undefined ? [] : [`${style.dim(key.padEnd(10))}${cleanLine(value)}`],
  )
  const before = (spec.history ?? []).map(
    ({ role, content }) => `  ${style.dim(`${role}:`)} ${cutText(cleanLine(content.slice(0, 2000)), 200)}`,
  )
  const names = new Map<string, string>()
  const body = events.flatMap((event) => linesOf(event, names, style))
  if (before.length > 0) head.push('', style.bold('said before'), ...before)
  return [...head, '', style.bold('work'), indent(cleanText(spec.work.content)), ...body, ''].join('\n')
}

function linesOf(event: CadreEvent, names: Map<string, string>, style: Style): string[] {
  const call = (id: string) => names.get(id) ?? id
  switch (event.type) {
    case 'reply.received': {
      for (const { id, name, input } of event.calls) names.set(id, cutText(callText(name, input), 100))
      const text = cleanText(event.text).trim()
      return ['', style.bold(`round ${event.round}`), ...(text === '' ? [] : [indent(text)])]
    }
    case 'call.started':
      return [
        `  → ${call(event.call)}${event.child === undefined ? '' : style.dim(` (session ${cleanLine(event.child)})`)}`,
      ]
    case 'call.settled': {
      const colour = event.outcome === 'done' ? style.green : style.red
      const said = cutText(cleanLine(event.content.slice(0, 2000)), 200)
      return [
        `  ← ${call(event.call)} ${colour(event.background && event.outcome === 'done' ? 'started' : event.outcome)}${said === '' ? '' : `\n      ${style.dim(said)}`}`,
      ]
    }
    case 'message.added':
      if (event.nudge === 'sections')
        return [`  ${style.yellow('!')} report sent back: ${cutText(sentBack(event.text), 200)}`]
      return [`  ${style.dim(`${cleanLine(event.from)}:`)} ${cutText(cleanLine(event.text), 200)}`]
    case 'person.asked':
      return [
        `  ${style.yellow('?')} ${cleanLine(event.question)}: ${cleanLine(event.text)} (${event.choices.map(cleanLine).join(', ')})`,
      ]
    case 'person.answered':
      return [`  ${style.yellow('!')} ${cleanLine(event.question)}: ${cleanLine(event.decision)}`]
    case 'notice.added':
      return [`  ${style.yellow('note:')} ${cleanLine(event.notice.message)}`]
    case 'context.compacted':
      return [`  ${style.dim('older rounds were put into few words')}`]
    case 'journal.edited':
      return [`  ${style.dim(`edited by a person: ${cleanLine(event.summary)}`)}`]
    case 'session.ended':
      return [
        '',
        style.bold('report'),
        indent(reportText(event.report, style)),
        ...(event.report.handoffs ? [indent('handoffs'), ...handoffLines(event.report.handoffs, style)] : []),
      ]
    default:
      return []
  }
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')
}
