import type { Reviewer } from '../ports/gate.ts'
import { isBlank } from '../text/is-blank.ts'

/** Returns a report for correction if a heading that its agent requires is missing or has no content. */
export const requireSections: Reviewer = ({ report }, session) => {
  const required = session.agent.requiredSections ?? []
  if (required.length === 0) return { kind: 'accept' }
  const found = sectionsOf(report.text, required)
  const missing = required.filter((heading) => isBlank(found.get(plain(heading)) ?? ''))
  if (missing.length > 0) {
    return {
      kind: 'return',
      reason: `The report lacks these sections: ${missing.join(', ')}. Send the complete report again, with a heading and content for each section.`,
    }
  }
  return {
    kind: 'accept',
    sections: Object.fromEntries(required.map((heading) => [heading, found.get(plain(heading)) as string])),
  }
}

/**
 * The content of each of these headings (`## Verdict`, `**Verdict**`, `Verdict: PASS`), by the plain form of the heading. Anything else
 * that looks like a heading is content, such as `PASS: all tests` or `### Lint`. Only a heading of the same or a higher level ends a
 * section. Headings in code fences are ignored.
 */
export function sectionsOf(text: string, headings: readonly string[]): Map<string, string> {
  const wanted = new Set(headings.map(plain))
  const sections = new Map<string, string>()
  let current: { readonly name: string; readonly rank: number } | undefined
  let fence: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark[0] : mark[0] === fence ? undefined : fence
    const heading = fence === undefined && mark === undefined ? headingOf(line) : undefined
    const name = heading === undefined ? undefined : plain(heading.name)
    if (heading !== undefined && name !== undefined && wanted.has(name)) {
      current = { name, rank: heading.rank }
      sections.set(name, `${sections.get(name) ?? ''}\n${heading.rest}`)
    } else if (current !== undefined && heading !== undefined && heading.rank < lowest) {
      if (heading.rank <= current.rank) current = undefined
      else sections.set(current.name, `${sections.get(current.name)}\n${line}`)
    } else if (current !== undefined) {
      sections.set(current.name, `${sections.get(current.name)}\n${line}`)
    }
  }
  for (const [name, content] of sections) sections.set(name, content.trim())
  return sections
}

/** The level of headings that are only bold or a label. */
const lowest = 7

function headingOf(line: string): { name: string; rest: string; rank: number } | undefined {
  const hashed = /^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$/.exec(line)
  if (hashed !== null) {
    const [, marks = '', title = ''] = hashed
    const [, name = title, rest = ''] = /^(.*?):\s+(.*)$/.exec(title) ?? []
    return { name, rest, rank: marks.length }
  }
  const bold = /^\s*(?:[-*]\s+)?(?:\*\*|__)(.+?)(?:\*\*|__):?\s*(.*)$/.exec(line)
  const [, name, rest] = bold ?? /^([A-Z][A-Za-z ]{2,50}):\s*(.*)$/.exec(line) ?? []
  return name === undefined ? undefined : { name, rest: rest ?? '', rank: lowest }
}

function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[*_`:#]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
