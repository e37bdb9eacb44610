import { nearest } from '@cadre/core'
import type { TaskItem } from '@cadre/tasks'

export interface MisspeltAgent {
  readonly who: string
  /** The agents that may be meant, the closest first. */
  readonly meant: readonly string[]
}

/**
 * Finds the misspelt agent of a task that has no known agent. An unknown name is usually a person. It is a mistake if it is close to the
 * name of an agent, or if an agent wrote the task.
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
