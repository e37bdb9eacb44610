import { knowsModel, type NamingHost } from '@cadre/core'
import { factsOf } from './dialect-facts.ts'

export interface HostModels {
  readonly models?: readonly string[]
  readonly notes: readonly string[]
}

/** The one model that a host takes: the first whose name it can know. None: it uses the model of the conversation. */
export function hostModels(models: readonly string[] | undefined, host: NamingHost): HostModels {
  if (models === undefined || host === 'copilot')
    return { ...(models !== undefined && { models }), notes: [] }
  const { host: label } = factsOf(host)
  const chosen = models.find((model) => model !== 'inherit' && knowsModel(host, model))
  const left = models.filter((model) => model !== chosen).join(', ')
  if (chosen === undefined)
    return {
      notes: [
        `${label} cannot know the model ${left}, which is left out: the agent runs on the model of the conversation.`,
      ],
    }
  return {
    models: [chosen],
    notes: left === '' ? [] : [`${label} takes one model, ${chosen}; left out: ${left}.`],
  }
}
