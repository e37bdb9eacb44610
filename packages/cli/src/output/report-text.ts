import type { Report } from '@cadre/core'
import type { Io } from '../io.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { renderMarkdown } from './markdown/render-markdown.ts'
import { wrapSpans } from './markdown/wrap-spans.ts'
import { formatCount, usageNumbers } from './numbers.ts'
import type { Style } from './style.ts'

/** A report for people: the agent's text, the outcome, notices and the cost. With `columns`, the text is rendered as Markdown. */
export function reportText(report: Report, style: Style, columns?: number): string {
  const text =
    columns === undefined
      ? cleanText(report.text).trim()
      : renderMarkdown(report.text.trim(), { columns, style }).join('\n')
  return [
    ...(text === '' ? [] : [text, '']),
    ...noticeLines(report, style, columns),
    formatSummary(report, style),
  ].join('\n')
}

/** With `columns`, wraps between words. */
export function noticeLines({ notices = [] }: Report, style: Style, columns?: number): string[] {
  return notices.flatMap((notice) => {
    const text = cleanLine(notice.message)
    const [first = '', ...rest] =
      columns === undefined ? [text] : wrapSpans([{ text, marks: [] }], columns - 6, style, columns)
    return [`${style.yellow('note:')} ${first}`, ...rest]
  })
}

/** The outcome and the cost in one line. */
export function formatSummary(report: Report, style: Style): string {
  const colour = {
    completed: style.green,
    incomplete: style.yellow,
    cancelled: style.yellow,
    error: style.red,
  }
  const figures = [
    formatCount(report.sessions, 'session'),
    formatCount(report.calls, 'call'),
    ...usageNumbers(report.usage),
  ]
  return `${colour[report.status](report.status)} · ${figures.join(' · ')} · ${cleanLine(report.model)}`
}

/** The width for Markdown in a terminal; `undefined` otherwise, which prints the text unchanged. */
export function markdownColumns({ stdout, env }: Pick<Io, 'stdout' | 'env'>): number | undefined {
  return stdout.isTTY && env['TERM'] !== 'dumb' ? Math.max(10, (stdout.stream.columns || 80) - 1) : undefined
}
