import type { FormField } from '@cadre/runtime'
import type { ElicitationPropertySchema, ElicitationSchema } from './acp-types.ts'

/**
 * The fields of a server's form in the format of the editor protocol. Undefined if the protocol cannot express one of them: a list of free texts.
 * Built from the fields, so that no other text from the server reaches the editor.
 */
export function elicitationSchema(fields: readonly FormField[]): ElicitationSchema | undefined {
  const properties: Record<string, ElicitationPropertySchema> = {}
  for (const field of fields) {
    const property = propertyOf(field)
    if (property === undefined) return undefined
    properties[field.name] = property
  }
  return {
    type: 'object',
    properties,
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  }
}

function propertyOf({ type, title, choices }: FormField): ElicitationPropertySchema | undefined {
  switch (type) {
    case 'array':
      if (choices.length === 0) return undefined
      return { type, title, items: { type: 'string', enum: choices.map(({ value }) => value) } }
    case 'string':
      if (choices.length === 0) return { type, title }
      return { type, title, oneOf: choices.map(({ value, label }) => ({ const: value, title: label })) }
    default:
      return { type, title }
  }
}
