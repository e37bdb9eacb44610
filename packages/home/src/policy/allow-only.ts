import type { ModelResolution, Models } from '@cadre/core'
import { fitsPattern } from '@cadre/disk'
import type { Policy } from './policy.ts'

/**
 * The same models, of which only those can be used that every level of the policy allows. A name is judged by the model
 * it stands for, so neither an alias nor a default gets around it.
 */
export function allowOnly(models: Models, policy: Pick<Policy, 'allowedModels' | 'decidedBy'>): Models {
  const { allowedModels, decidedBy } = policy
  if (allowedModels.length === 0) return models
  return {
    ...models,
    async resolve(name): Promise<ModelResolution> {
      const found = await models.resolve(name)
      if (found.kind === 'unknown') return found
      const { id } = found.model
      const index = allowedModels.findIndex((patterns) => !patterns.some((pattern) => isMeant(id, pattern)))
      if (index < 0) return found
      const patterns = allowedModels[index]?.join(', ') || 'none'
      const place = decidedBy.get(`models.allow.${index}`) ?? 'the policy'
      const reason = `${id} is not among the models that ${place} allows: ${patterns}. Choose one of them with --model.`
      return { kind: 'unknown', name: name ?? id, nearest: [], reason, code: 'policy' }
    },
  }
}

/** A pattern with a colon is about the whole id, `openai:gpt-*`; one without is about the name behind the backend. */
function isMeant(id: string, pattern: string): boolean {
  if (pattern === '*') return true
  return fitsPattern(pattern.includes(':') ? id : id.slice(id.indexOf(':') + 1), pattern)
}
