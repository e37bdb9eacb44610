import { outfitOf } from '@cadre/core'
import type { FileEngineOptions } from '@cadre/journal'
import type { RunParts } from './load-parts.ts'

/** Sessions that a person begins in an editor get the agent of that name as it is here: its tools, its prompt, its model. */
export function adoptFrom(
  parts: () => Pick<RunParts, 'agents' | 'tools'> | undefined,
  model: () => string | undefined = () => undefined,
): NonNullable<FileEngineOptions['adopt']> {
  return (name) => {
    const here = parts()
    const agent = here?.agents.get(name)
    if (here === undefined || agent === undefined) return undefined
    const wanted = agent.models?.find((one) => one.toLowerCase() !== 'inherit')
    return { ...outfitOf(agent, here), model: wanted ?? model() }
  }
}
