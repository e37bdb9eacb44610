import type { ModelResolution, Models } from '@cadre/core'
import { matchesPattern } from '@cadre/disk'
import type { Policy } from './policy.ts'

type ModelPolicy = Pick<Policy, 'allowedModels' | 'decidedBy'> & Partial<Pick<Policy, 'modelFallback'>>

/**
 * Restricts models to those that every level of the policy allows. A name is resolved before it is judged, so neither an alias nor a
 * default bypasses the policy. If the policy disables the fallback, no model replaces another.
 */
export function restrictModels(models: Models, policy: ModelPolicy): Models {
  const { allowedModels, modelFallback = true, decidedBy } = policy
  if (allowedModels.length === 0 && modelFallback) return models
  return {
    ...models,
    async resolve(name): Promise<ModelResolution> {
      const found = await models.resolve(name)
      if (found.kind === 'unknown') return modelFallback ? found : firm(found)
      const reason = modelRefusal(found.model.id, policy)
      if (reason === undefined) return found
      return { kind: 'unknown', name: name ?? found.model.id, nearest: [], reason, code: 'policy' }
    },
  }

  function firm(unknown: Extract<ModelResolution, { kind: 'unknown' }>): ModelResolution {
    const place = decidedBy.get('models.fallback') ?? 'the policy'
    const reason = `${unknown.reason.replace(/\.$/, '')}; no other model may be used instead (models.fallback, ${place}).`
    return { ...unknown, reason, firm: true }
  }
}

/** Returns the reason why the policy does not allow a model, as a sentence. */
export function modelRefusal(id: string, { allowedModels, decidedBy }: ModelPolicy): string | undefined {
  const index = allowedModels.findIndex((patterns) => !patterns.some((pattern) => isMeant(id, pattern)))
  if (index < 0) return undefined
  const patterns = allowedModels[index]?.join(', ') || 'none'
  const place = decidedBy.get(`models.allow.${index}`) ?? 'the policy'
  return `${place} does not allow the model ${id}. Allowed: ${patterns}. Choose one of them with --model.`
}

/** A pattern with a colon matches the whole id, such as `openai:gpt-*`; one without matches the name after the backend. */
function isMeant(id: string, pattern: string): boolean {
  if (pattern === '*') return true
  return matchesPattern(pattern.includes(':') ? id : id.slice(id.indexOf(':') + 1), pattern)
}
