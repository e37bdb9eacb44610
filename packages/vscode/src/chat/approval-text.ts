import type { Json, Question } from '@cadre/core'
import { actionLines, approvalContent } from '@cadre/gate'
import { code, escaped, fenced } from '../markdown.ts'

export interface AskedApproval {
  readonly question: Pick<Question, 'text' | 'kind' | 'choices' | 'detail'>
  /** Who asks, and who delegated to it: `coordinator › reviewer`. */
  readonly chain: string
}

/** What a person has to decide about, whole. Nothing of it is taken for Markdown but what is written here. */
export function approvalText({ question, chain }: AskedApproval): string {
  const content = approvalContent(question, chain)
  const { tool } = fieldsOf(question.detail)
  const diff = diffOf(question.detail)
  const title = approvalTitle({
    isDoubt: question.kind === 'doubt',
    who: chain,
    tool: typeof tool === 'string' ? tool : content.type,
  })
  const { risk, reasons, why, grants } = content
  const risks =
    risk === undefined ? [] : [`Risk: ${risk}${reasons.length > 0 ? ` – ${reasons.join(' · ')}` : ''}`]
  const shown = diff ?? fenced(actionLines(content).join('\n'))
  const details = [
    ...risks,
    ...(why === '' ? [] : [`Why you are asked: ${why}`]),
    ...(grants.length > 0 ? [`Approving for this session permits: ${grants.join(' · ')}`] : []),
  ].map((line) => `- ${escaped(line, 2000)}`)
  return [title, shown, details.join('\n')].filter((part) => part !== '').join('\n\n')
}

/** What is asked of the person, in a sentence. */
export function approvalTitle(asked: {
  readonly isDoubt: boolean
  readonly who: string
  readonly tool: string
}): string {
  const { isDoubt, who, tool } = asked
  return isDoubt
    ? `**${escaped(who)}** was interrupted while it used ${code(tool)}. What happened?`
    : `**${escaped(who)}** wants to use ${code(tool)}.`
}

/** Who decided what. */
export function decisionText(
  { decision, by, reason }: { readonly decision: string; readonly by?: string; readonly reason?: string },
  chain: string,
): string {
  const who = by === undefined ? '' : ` by ${escaped(by, 100)}`
  const why = reason === undefined || reason === '' ? '' : `: ${escaped(reason)}`
  return `**${escaped(wordOf(decision))}**${who}${why} (${escaped(chain)})`
}

function wordOf(decision: string): string {
  switch (decision) {
    case 'approve':
      return 'Approved'
    case 'reject':
      return 'Rejected'
    case 'again':
      return 'Run again'
    case 'done':
      return 'Confirmed as done'
    case 'leave':
      return 'Left as it is'
    default:
      return decision.startsWith('approve') ? 'Approved for this session' : decision
  }
}

type Fields = { readonly [key: string]: Json }

/** A change of a file as a diff, with every other argument below it; nothing where the call is something else. */
function diffOf(detail: Json | undefined): string | undefined {
  const { arguments: written } = fieldsOf(detail)
  const given = fieldsOf(parsed(written))
  const { path, old, new: replacement, content, ...rest } = given
  if (typeof path !== 'string') return undefined
  const head = fenced(path)
  if (typeof old === 'string' && typeof replacement === 'string')
    return [
      head,
      fenced([...marked('-', old), ...marked('+', replacement)].join('\n'), 'diff'),
      ...others(rest),
    ].join('\n\n')
  if (typeof content === 'string' && old === undefined && replacement === undefined)
    return [head, fenced(marked('+', content).join('\n'), 'diff'), ...others(rest)].join('\n\n')
  return undefined
}

function others(rest: Fields): string[] {
  return Object.keys(rest).length === 0 ? [] : [fenced(JSON.stringify(rest, null, 2), 'json')]
}

function marked(mark: string, text: string): string[] {
  return text.split('\n').map((line) => `${mark} ${visible(line)}`)
}

/** Characters that nobody sees, and those that turn the order around, as their codes. */
function visible(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{DI}\u2800]/gu, (character) =>
    character === '\t' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function parsed(written: Json | undefined): Json | undefined {
  if (typeof written !== 'string') return written
  try {
    return JSON.parse(written) as Json
  } catch {
    return undefined
  }
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
