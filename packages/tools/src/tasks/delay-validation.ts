import type { Schema } from '@cadre/core'

/**
 * Delays validation until something else is known that the gate needs: validation is the last step before the gate, whose
 * rules cannot wait. So startup does not wait for something that only some calls need.
 */
export function delayValidation<T>(input: Schema<T>, something: unknown): Schema<T> {
  if (!(something instanceof Promise)) return input
  const standard = input['~standard']
  const validate = async (value: unknown) => {
    await something
    return standard.validate(value)
  }
  return { ...input, '~standard': { ...standard, validate } }
}
