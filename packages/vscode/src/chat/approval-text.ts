import type { Json, Question } from '@cadre/core'
import { actionLines, approvalContent, shownLine, shownText } from '@cadre/gate'
import type { FilePreview } from '@cadre/tools'
import { codeFence, codeLines, codeSpan, escapeMarkdown } from '../markdown.ts'
import { diffLines } from './diff-lines.ts'

export interface AskedApproval {
  readonly question: Pick<Question, 'text' | 'kind' | 'choices' | 'detail'>
  /** The asking agent and its ancestors: `coordinator › reviewer`. */
  readonly chain: string
  /** The call's changes to files, if known. */
  readonly files?: readonly FilePreview[] | undefined
}

/** The complete request that a person must decide. Only Cadre's own text is Markdown. */
export function approvalText({ question, chain, files = [] }: AskedApproval): string {
  const content = approvalContent(question, chain)
  const { tool } = fieldsOf(question.detail)
  const title = approvalTitle({
    isDoubt: question.kind === 'doubt',
    who: chain,
    tool: typeof tool === 'string' ? tool : content.type,
  })
  const shown = files.length > 0 ? files.map(diffOf).join('\n\n') : codeLines(actionLines(content))
  return [title, shown, detailText(content)].filter((part) => part !== '').join('\n\n')
}

/** The risk, why approval is needed, and what approving it for the session permits. */
export function detailText({
  risk,
  reasons,
  why,
  grants,
}: Pick<ReturnType<typeof approvalContent>, 'risk' | 'reasons' | 'why' | 'grants'>): string {
  const risks =
    risk === undefined ? [] : [`Risk: ${risk}${reasons.length > 0 ? ` – ${reasons.join(' · ')}` : ''}`]
  return [
    ...risks,
    ...(why === '' ? [] : [`Why you are asked: ${why}`]),
    ...(grants.length > 0 ? [`Approving for this session permits: ${grants.join(' · ')}`] : []),
  ]
    .map((line) => `- ${escapeMarkdown(shownLine(line), 2000)}`)
    .join('\n')
}

/** The question in one sentence. */
export function approvalTitle(asked: {
  readonly isDoubt: boolean
  readonly who: string
  readonly tool: string
}): string {
  const who = escapeMarkdown(shownLine(asked.who))
  const tool = codeSpan(shownLine(asked.tool))
  return asked.isDoubt
    ? `**${who}** was interrupted while it used ${tool}. What happened?`
    : `**${who}** wants to use ${tool}.`
}

/** Describes who decided what. */
export function decisionText(
  { decision, by, reason }: { readonly decision: string; readonly by?: string; readonly reason?: string },
  chain: string,
): string {
  const who = by === undefined ? '' : ` by ${escapeMarkdown(by, 100)}`
  const why = reason === undefined || reason === '' ? '' : `: ${escapeMarkdown(reason)}`
  return `**${escapeMarkdown(labelOf(decision))}**${who}${why} (${escapeMarkdown(chain)})`
}

function labelOf(decision: string): string {
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
      return 'Not run again'
    default:
      return decision.startsWith('approve') ? 'Approved for this session' : decision
  }
}

type Fields = { readonly [key: string]: Json }

function diffOf({ path, before, after }: FilePreview): string {
  const lines = diffLines(before, after)
  const shown = lines.length === 0 ? 'The file stays as it is.' : diffText(lines)
  return [codeLines(shownText('Path', path)), shown].join('\n\n')
}

/** At most forty narrow characters, which fit the narrowest chat. */
const narrow = /^[\x20-\x7e]{0,40}$/

/** In colour if it fits. */
function diffText(lines: readonly string[]): string {
  const fits = lines.every((line) => narrow.test(line))
  return fits ? codeFence(lines.join('\n'), 'diff') : codeLines(lines)
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}
