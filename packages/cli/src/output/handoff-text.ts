import type { Handoff } from '@cadre/core'
import { cleanLine } from './clean-text.ts'
import type { Style } from './style.ts'

/** What an agent offers to hand over, each with the number a person chooses it by. */
export function handoffLines(handoffs: readonly Handoff[], style: Style): string[] {
  return handoffs.map((handoff, index) => {
    const how = sendsAtOnce(handoff) ? style.dim(' (sends at once)') : ''
    const label = cleanLine(handoff.label) || cleanLine(handoff.agent)
    return `  ${style.cyan(String(index + 1))} ${label} → ${cleanLine(handoff.agent)}${how}`
  })
}

/** One without words of its own can only be filled in. */
export function sendsAtOnce({ send, prompt }: Handoff): boolean {
  return send === true && prompt.trim() !== ''
}
