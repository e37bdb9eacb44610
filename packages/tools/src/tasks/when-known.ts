import type { Schema } from '@cadre/core'

/**
 * The same input, checked when something else is known by which the call is judged: checking is the last that happens before
 * the gate is asked, whose rules cannot wait. So a start need not wait for what only some calls depend on.
 */
export function whenKnown<T>(input: Schema<T>, something: unknown): Schema<T> {
  if (!(something instanceof Promise)) return input
  const standard = input['~standard']
  const validate = async (value: unknown) => {
    await something
    return standard.validate(value)
  }
  return { ...input, '~standard': { ...standard, validate } }
}
