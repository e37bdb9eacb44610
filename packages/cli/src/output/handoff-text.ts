import type { Handoff } from '@cadre/core'
import { cleanLine } from './clean-text.ts'
import type { Style } from './style.ts'

/**
 * What an agent offers to hand over, each with the number a person chooses it by. Where the names of all agents are known,
 * a target that is not among them is marked.
 */
export function handoffLines(
  handoffs: readonly Handoff[],
  style: Style,
  names?: readonly string[],
): string[] {
  return handoffs.map((handoff, index) => {
    const how = isLost(handoff, names)
      ? style.yellow(' (no such agent)')
      : sendsAtOnce(handoff)
        ? style.dim(' (sends immediately)')
        : ''
    const label = cleanLine(handoff.label) || cleanLine(handoff.agent)
    return `  ${style.cyan(String(index + 1))} ${label} → ${cleanLine(handoff.agent)}${how}`
  })
}

/** Hosts call their general agent `agent`; there always is one. */
function isLost({ agent }: Handoff, names: readonly string[] | undefined): boolean {
  const wanted = agent.trim().toLowerCase()
  return names !== undefined && wanted !== 'agent' && !names.some((name) => name.toLowerCase() === wanted)
}

/** One without words of its own can only be filled in. */
export function sendsAtOnce({ send, prompt }: Handoff): boolean {
  return send === true && prompt.trim() !== ''
}
