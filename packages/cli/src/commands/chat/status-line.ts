import type { Usage } from '@cadre/core'
import { cleanLine } from '../../output/clean-text.ts'
import { formatAmount, usageNumbers } from '../../output/numbers.ts'
import type { Style } from '../../output/style.ts'
import { textWidth, truncateText } from '../../output/text-width.ts'

export interface StatusInfo {
  readonly model: string | undefined
  /** The tokens of the last request and its reply, and the window. */
  readonly context: { readonly used: number; readonly window: number | undefined } | undefined
  /** For the whole conversation, including all agents. */
  readonly usage: Usage
  readonly branch: string | undefined
}

/** Model, context, tokens, cost and branch in one line; on a narrow screen, the least important parts are omitted. */
export function statusLine(facts: StatusInfo, hint: string, columns: number, style: Style): string {
  const { model, context, usage, branch } = facts
  const spent = usage.input + usage.output > 0 ? usageNumbers(usage) : []
  const parts = [
    ...(model === undefined ? [] : [cleanLine(model)]),
    ...(context === undefined ? [] : [contextText(context)]),
    ...spent,
    ...(branch === undefined ? [] : [`⎇ ${cleanLine(branch)}`]),
  ]
  const right = textWidth(hint) + 2 <= columns / 2 ? hint : ''
  const room = columns - (right === '' ? 0 : textWidth(right) + 2)
  const shown: string[] = []
  for (const part of parts) {
    const width = textWidth([...shown, part].join(' · '))
    if (width <= room) shown.push(part)
  }
  const left = shown.length > 0 ? shown.join(' · ') : truncateText(parts[0] ?? '', room)
  const gap = Math.max(right === '' ? 0 : 2, columns - textWidth(left) - textWidth(right))
  return style.dim(right === '' ? left : `${left}${' '.repeat(gap)}${right}`)
}

function contextText({ used, window }: NonNullable<StatusInfo['context']>): string {
  if (window === undefined) return `context ${formatAmount(used)}`
  return `context ${formatAmount(used)}/${formatAmount(window)} (${Math.min(999, Math.round((used / window) * 100))}%)`
}
