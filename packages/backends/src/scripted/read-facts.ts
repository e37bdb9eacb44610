import type { ModelFacts } from '../backend.ts'
import type { Field } from '../field.ts'

/** What a playbook says about the model it stands for. */
export function readFacts(field: Field): ModelFacts {
  field.mapping('a model', ['window', 'maxOutput', 'price'])
  const window = field.at('window')?.whole(1)
  const maxOutput = field.at('maxOutput')?.whole(1)
  const price = field.at('price')
  return {
    ...(window !== undefined && { window }),
    ...(maxOutput !== undefined && { maxOutput }),
    ...(price && { price: readPrice(price) }),
  }
}

function readPrice(field: Field): { input: number; output: number } {
  field.mapping('a price', ['input', 'output'])
  const part = (key: string) => field.at(key)?.amount() ?? field.fail(`${field.name} needs "${key}".`)
  return { input: part('input'), output: part('output') }
}
