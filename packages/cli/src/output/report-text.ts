import type { Report } from '@cadre/core'
import { cleanLine, cleanText } from './clean-text.ts'
import { counted, usageFigures } from './numbers.ts'
import type { Style } from './style.ts'

/** A report as a person reads it: the agent's words, how it ended, what a person should know, what it cost. */
export function reportText(report: Report, style: Style): string {
  const text = cleanText(report.text).trim()
  return [...(text === '' ? [] : [text, '']), ...noticeLines(report, style), endLine(report, style)].join(
    '\n',
  )
}

export function noticeLines({ notices = [] }: Report, style: Style): string[] {
  return notices.map((notice) => `${style.yellow('note:')} ${cleanLine(notice.message)}`)
}

/** How it ended and what it cost, in one line. */
export function endLine(report: Report, style: Style): string {
  const colour = {
    completed: style.green,
    incomplete: style.yellow,
    cancelled: style.yellow,
    error: style.red,
  }
  const figures = [
    counted(report.sessions, 'session'),
    counted(report.calls, 'call'),
    ...usageFigures(report.usage),
  ]
  return `${colour[report.status](report.status)} · ${figures.join(' · ')} · ${cleanLine(report.model)}`
}
