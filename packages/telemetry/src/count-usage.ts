import type { Usage } from '@cadre/core'
import type { AnsweringModel } from './agent-model.ts'

export function countUsage(model: AnsweringModel, usage: Usage): void {
  model.operationInput(usage.input)
  model.operationOutput(usage.output)
  model.input(usage.input)
  model.output(usage.output)
  model.cacheRead(usage.cacheRead)
  model.cacheWrite(usage.cacheWrite)
  model.cost(usage.cost)
  model.premium(usage.premium)
}
