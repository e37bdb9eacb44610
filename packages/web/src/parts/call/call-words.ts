import type { CallView } from '@cadre/core'
import { visibleLine } from '../show-hidden.ts'

const isText = (value: unknown): value is string => typeof value === 'string'

/** A call's input in one line: the command, the path or the work. Only a summary: the complete input is shown below it. */
export function callSummary({ input }: Pick<CallView, 'input'>): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(input)
  } catch {
    return visibleLine(input.slice(0, 160))
  }
  if (typeof parsed !== 'object' || parsed === null) return visibleLine(input.slice(0, 160))
  const fields = parsed as Readonly<Record<string, unknown>>
  const known = [
    'command',
    'path',
    'file_path',
    'filePath',
    'pattern',
    'query',
    'url',
    'prompt',
    'workDescription',
    'work',
  ]
  const found = known.map((name) => fields[name]).find(isText) ?? Object.values(fields).find(isText)
  return visibleLine((found ?? input).slice(0, 160))
}

/** Who allowed or denied a call, in a few words: "approved by ann", "allowed by policy: effects.read". */
export function verdictWords({
  verdict,
  held,
  person,
}: Pick<CallView, 'verdict' | 'held' | 'person'>): string {
  if (person !== undefined)
    return `${decisionWord(person.decision)}${person.by === undefined ? '' : ` by ${person.by}`}`
  const known = verdict ?? held
  if (known === undefined) return ''
  const words = { allow: 'allowed', ask: 'needs approval', deny: 'denied' }
  const rule = known.rule === undefined || known.rule === '' ? '' : `: ${known.rule}`
  return known.decision === 'ask'
    ? `${words.ask} (${known.by}${rule})`
    : `${words[known.decision]} by ${known.by}${rule}`
}

/** "approved" or "rejected"; an answer about an interrupted call as it is. */
export function decisionWord(decision: string): string {
  if (decision === 'approve-session') return 'approved for the session'
  if (decision.startsWith('approve')) return 'approved'
  return decision === 'reject' ? 'rejected' : decision
}

/** The input for display: indented if it is JSON, otherwise unchanged. */
export function readableInput(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input), null, 2)
  } catch {
    return input
  }
}
