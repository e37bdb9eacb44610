import { agentSetup } from '@cadre/core'
import type { FileEngineOptions } from '@cadre/journal'
import type { RunParts } from './run-parts.ts'

/** For sessions that a person starts in an editor: adds the tools, the prompt and the model of the agent with that name. */
export function createAdoptAgent(
  parts: () => Pick<RunParts, 'agents' | 'tools'> | undefined,
  model: () => string | undefined = () => undefined,
): NonNullable<FileEngineOptions['adopt']> {
  return (name) => {
    const here = parts()
    const agent = here?.agents.get(name)
    if (here === undefined || agent === undefined) return undefined
    const wanted = agent.models?.find((one) => one.toLowerCase() !== 'inherit')
    return { ...agentSetup(agent, here), model: wanted ?? model() }
  }
}
