import type { Reviewer } from './gate.ts'

/** Sends a report back while a heading its agent requires is missing or has nothing below it. */
export const requireSections: Reviewer = (report, session) => {
  const required = session.agent.requiredSections ?? []
  if (required.length === 0) return { kind: 'accept' }
  const found = sectionsOf(report.text)
  const missing = required.filter((heading) => (found.get(plain(heading)) ?? '') === '')
  if (missing.length > 0) {
    return {
      kind: 'return',
      reason: `The report lacks these sections: ${missing.join(', ')}. Give it again, complete, with each as a heading and its content below.`,
    }
  }
  return {
    kind: 'accept',
    sections: Object.fromEntries(required.map((heading) => [heading, found.get(plain(heading)) as string])),
  }
}

/** Headings (`## Verdict`, `**Verdict**`, `Verdict: PASS`) and what stands below or behind each. Code fences hold none. */
export function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>()
  let current: string | undefined
  let fence: string | undefined
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark[0] : mark[0] === fence ? undefined : fence
    const heading = fence === undefined && mark === undefined ? headingOf(line) : undefined
    if (heading !== undefined) {
      current = plain(heading.name)
      sections.set(current, heading.rest)
    } else if (current !== undefined) {
      sections.set(current, `${sections.get(current)}\n${line}`)
    }
  }
  for (const [name, content] of sections) sections.set(name, content.trim())
  return sections
}

function headingOf(line: string): { name: string; rest: string } | undefined {
  const hashed = /^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$/.exec(line)?.[1]
  if (hashed !== undefined) {
    const [, name, rest] = /^(.*?):\s+(.*)$/.exec(hashed) ?? [hashed, hashed, '']
    return { name: name as string, rest: rest as string }
  }
  const bold = /^\s*(?:[-*]\s+)?(?:\*\*|__)(.+?)(?:\*\*|__):?\s*(.*)$/.exec(line)
  if (bold !== null) return { name: bold[1] as string, rest: bold[2] as string }
  const labelled = /^([A-Z][A-Za-z ]{2,50}):\s*(.*)$/.exec(line)
  return labelled === null ? undefined : { name: labelled[1] as string, rest: labelled[2] as string }
}

function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[*_`:#]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
