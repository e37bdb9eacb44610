import type { Handoff } from '@cadre/core'
import { cleanLine } from './clean-text.ts'
import type { Style } from './style.ts'

/** The handoffs of an agent, each with the number to choose it by. If all agent names are known, unknown targets are marked. */
export function handoffLines(
  handoffs: readonly Handoff[],
  style: Style,
  names?: readonly string[],
): string[] {
  return handoffs.map((handoff, index) => {
    const how = hasMissingAgent(handoff, names)
      ? style.yellow(' (no such agent)')
      : sendsImmediately(handoff)
        ? style.dim(' (sends immediately)')
        : ''
    const label = cleanLine(handoff.label) || cleanLine(handoff.agent)
    return `  ${style.cyan(String(index + 1))} ${label} → ${cleanLine(handoff.agent)}${how}`
  })
}

/** Other hosts name their general agent `agent`, which always exists. */
function hasMissingAgent({ agent }: Handoff, names: readonly string[] | undefined): boolean {
  const wanted = agent.trim().toLowerCase()
  return names !== undefined && wanted !== 'agent' && !names.some((name) => name.toLowerCase() === wanted)
}

/** A handoff without a prompt can only be filled in. */
export function sendsImmediately({ send, prompt }: Handoff): boolean {
  return send === true && prompt.trim() !== ''
}
