import type { Json } from '@cadre/core'
import type { Difference } from '@cadre/replay'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import type { Style } from '../../output/style.ts'

/** The most lines that are shown of each side. `--json` has all of them. */
const maxLines = 8

/** A difference for a person: where it is, what it is about, and the two sides. */
export function differenceText(difference: Difference, style: Style): string {
  const { kind, session, agents, round, call, what, isAfterDifference } = difference
  const places = [
    `${agents.join(' › ')}${session > 1 ? ` (session ${session})` : ''}`,
    ...(round > 0 ? [`round ${round}`] : []),
    ...(call ? [`${call.tool} (${call.id})`] : []),
  ]
  const subject = what === undefined ? kind : `${kind} ${what}`
  const later = isAfterDifference ? style.dim(' (after the replay diverged)') : ''
  const head = `${style.bold(cleanLine(`${places.join(', ')}: ${subject}`))}${later}`
  const [before, after] = sidesOf(difference)
  const lines = [
    ...before.map((line) => style.red(`    - ${line}`)),
    ...after.map((line) => style.green(`    + ${line}`)),
  ]
  return `${head}\n${lines.join('\n')}\n`
}

/** Characters that a terminal would act upon, or not show, as escapes: two texts that differ are never shown alike. */
function visible(text: string): string {
  const escaped = text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return `\\u{${code.toString(16)}}`
  })
  return cleanText(escaped)
}

/** The lines that differ, with what both sides begin and end with left out. */
function sidesOf({ kind, before, after }: Difference): [before: string[], after: string[]] {
  const one = linesOf(kind, before)
  const other = linesOf(kind, after)
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1
  let end = 0
  while (
    end < Math.min(one.length, other.length) - start &&
    one[one.length - 1 - end] === other[other.length - 1 - end]
  )
    end += 1
  return [truncate(one.slice(start, one.length - end)), truncate(other.slice(start, other.length - end))]
}

function truncate(lines: readonly string[]): string[] {
  if (lines.length <= maxLines) return [...lines]
  return [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
}

function linesOf(kind: Difference['kind'], value: Json): string[] {
  if (kind === 'decision' && Array.isArray(value)) return value.map(decisionLine)
  if (kind === 'round') return [`${String(value)} ${value === 1 ? 'round' : 'rounds'}`]
  if (value === null) return ['(nothing)']
  if (kind === 'report') return reportLines(value as Readonly<Record<string, Json>>)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return visible(text).split('\n')
}

function visibleLine(text: string): string {
  return cleanLine(visible(text))
}

function decisionLine(value: Json): string {
  const { decision, by, rule, reason, context } = value as Readonly<Record<string, string | undefined>>
  const because = reason === undefined ? '' : `: ${reason}`
  const added = context === undefined ? '' : ` (adds: ${context})`
  return visibleLine(`${decision} by ${by}, ${rule}${because}${added}`)
}

function reportLines({ status, text, notices = [], output }: Readonly<Record<string, Json>>): string[] {
  return [
    visibleLine(String(status)),
    ...visible(String(text)).split('\n'),
    ...(notices as readonly Json[]).map((notice) => visibleLine(String(notice))),
    ...(output === undefined ? [] : [visibleLine(JSON.stringify(output))]),
  ]
}
