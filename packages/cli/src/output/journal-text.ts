import type { CadreEvent, StoredSession } from '@cadre/core'
import { callText } from './call-text.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { handoffLines } from './handoff-text.ts'
import { localTime } from './local-time.ts'
import { reportText } from './report-text.ts'
import { isSentBack, sentBackReason } from './sent-back-reason.ts'
import type { Style } from './style.ts'
import { truncateText } from './text-width.ts'

/** A whole session for a person: its header, then its events, round by round. `shownStatus` replaces the recorded one. */
export function journalText(
  stored: StoredSession,
  events: readonly CadreEvent[],
  path: string,
  style: Style,
  shownStatus?: string,
): string {
  const { spec, status, outcome, updated } = stored
  const recorded = outcome === undefined || outcome === status ? status : `${status} (${outcome})`
  const fields: [string, string | undefined][] = [
    ['session', spec.id],
    ['agent', spec.agent.name],
    ['parent', spec.parent && `${spec.parent.session} (${spec.parent.call})`],
    ['model', spec.model],
    ['status', shownStatus ?? recorded],
    ['created', localTime(spec.created)],
    ['updated', localTime(updated)],
    ['workspace', spec.workspace],
    ['file', path],
  ]
  const head = fields.flatMap(([key, value]) =>
    value === undefined ? [] : [`${style.dim(key.padEnd(10))}${cleanLine(value)}`],
  )
  const before = (spec.history ?? []).map(
    ({ role, content }) =>
      `  ${style.dim(`${role}:`)} ${truncateText(cleanLine(content.slice(0, 2000)), 200)}`,
  )
  const known: Known = { names: new Map(), refusals: new Map() }
  const body = events.flatMap((event) => linesOf(event, known, style))
  if (before.length > 0) head.push('', style.bold('earlier messages'), ...before)
  return [...head, '', style.bold('work'), indent(cleanText(spec.work.content)), ...body, ''].join('\n')
}

/** The calls so far: how they are shown, and what refused them. */
interface Known {
  readonly names: Map<string, string>
  readonly refusals: Map<string, string>
}

function linesOf(event: CadreEvent, { names, refusals }: Known, style: Style): string[] {
  const call = (id: string) => names.get(id) ?? id
  switch (event.type) {
    case 'reply.received': {
      for (const { id, name, input } of event.calls) names.set(id, truncateText(callText(name, input), 100))
      const text = cleanText(event.text).trim()
      return ['', style.bold(`round ${event.round}`), ...(text === '' ? [] : [indent(text)])]
    }
    case 'call.judged':
      if (event.decision === 'deny') refusals.set(event.call, decidedBy(event))
      return []
    case 'call.started':
      return [
        `  → ${call(event.call)}${event.child === undefined ? '' : style.dim(` (session ${cleanLine(event.child)})`)}`,
      ]
    case 'call.settled': {
      const colour = event.outcome === 'done' ? style.green : style.red
      const said = truncateText(cleanLine(event.content.slice(0, 2000)), 200)
      const by = event.outcome === 'refused' ? refusals.get(event.call) : undefined
      const word = event.background && event.outcome === 'done' ? 'started' : event.outcome
      return [
        `  ← ${call(event.call)} ${colour(word)}${by === undefined ? '' : style.dim(` by ${by}`)}${said === '' ? '' : `\n      ${style.dim(said)}`}`,
      ]
    }
    case 'message.added':
      if (isSentBack(event))
        return [`  ${style.yellow('!')} report sent back: ${truncateText(sentBackReason(event.text), 200)}`]
      return [`  ${style.dim(`${cleanLine(event.from)}:`)} ${truncateText(cleanLine(event.text), 200)}`]
    case 'person.asked':
      return [
        `  ${style.yellow('?')} ${cleanLine(event.question)}: ${cleanLine(event.text)} (${event.choices.map(cleanLine).join(', ')})`,
      ]
    case 'person.answered': {
      const { decision, by, reason, votes = [] } = event
      const cast = votes.map((vote) => `${vote.by} ${vote.decision}, ${vote.via}`).join('; ')
      const said = `${decision}${by === undefined ? '' : ` by ${by}`}${reason ? `: ${reason}` : ''}${cast === '' ? '' : ` (votes: ${cast})`}`
      return [`  ${style.yellow('!')} ${cleanLine(event.question)}: ${cleanLine(said)}`]
    }
    case 'notice.added':
      return [`  ${style.yellow('note:')} ${cleanLine(event.notice.message)}`]
    case 'context.compacted':
      return [`  ${style.dim('older rounds were summarised')}`]
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

function decidedBy({ by, rule }: { readonly by: string; readonly rule?: string }): string {
  return cleanLine(rule === undefined || rule === by ? by : `${by}, ${rule}`)
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')
}
