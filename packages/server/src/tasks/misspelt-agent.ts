import { nearest } from '@cadre/core'
import type { TaskItem } from '@cadre/files'

export interface MisspeltAgent {
  readonly who: string
  /** The agents that may be meant, the nearest first. */
  readonly meant: readonly string[]
}

/**
 * The name of an agent that is not there, on a task that no agent has. Other names that are no agent's are people's; one that
 * is nearly an agent's, or that an agent wrote, is a mistake.
 */
export function misspeltAgent(
  { who: names, fields }: TaskItem,
  agents: readonly string[],
): MisspeltAgent | undefined {
  for (const who of names) {
    if (who.toLowerCase() === 'human') return undefined
    const meant = nearest(who, agents).filter((name) => isNear(who.toLowerCase(), name.toLowerCase()))
    if (meant.length > 0 || fields.has('created_by')) return { who, meant }
  }
  return undefined
}

function isNear(who: string, agent: string): boolean {
  return who.length >= 4 && (agent.includes(who) || agent[0] === who[0])
}
