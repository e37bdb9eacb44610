import { plainText } from '@cadre/core'

export type FieldValue = string | number | boolean | readonly string[]

/** One field in a form. Its texts come from the server, without hidden characters. `name` and `value` are unchanged. */
export interface FormField {
  readonly name: string
  /** The title, and the description if there is one. */
  readonly title: string
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  /** Empty if any value of the type is valid. */
  readonly choices: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired: boolean
}

const mostFields = 20
const mostChoices = 100
const types = ['string', 'number', 'integer', 'boolean', 'array'] as const

/** The fields of a form: flat, as MCP defines them. Ignores everything that is not a field. */
export function formFields(schema: unknown): readonly FormField[] {
  const { properties, required } = recordOf(schema)
  const needed = Array.isArray(required) ? required : []
  return Object.entries(recordOf(properties))
    .slice(0, mostFields)
    .map(([name, property]) => {
      const { type, title, description, items } = recordOf(property)
      const texts = [title ?? name, description].filter((text) => typeof text === 'string')
      const choices = choicesOf(property)
      return {
        name,
        title: plainText(texts.join(': '), 500).replace(/\s+/g, ' '),
        type: types.find((known) => known === type) ?? 'string',
        choices: choices.length > 0 ? choices : choicesOf(items),
        isRequired: needed.includes(name),
      }
    })
}

/** The value that a person typed, or undefined if the field does not accept it. */
export function readField({ type, choices }: FormField, typed: string): FieldValue | undefined {
  const isChoice = (text: string) => choices.length === 0 || choices.some(({ value }) => value === text)
  if (type === 'array') {
    const items = typed.split(',').map((item) => item.trim())
    return items.every(isChoice) ? items : undefined
  }
  if (choices.length > 0) return isChoice(typed) ? typed : undefined
  if (type === 'boolean')
    return /^y(?:es)?$|^true$/i.test(typed) ? true : /^no?$|^false$/i.test(typed) ? false : undefined
  if (type === 'string') return typed
  const value = Number(typed)
  return Number.isFinite(value) && (type === 'number' || Number.isInteger(value)) ? value : undefined
}

function choicesOf(property: unknown): FormField['choices'] {
  const { enum: values, enumNames, oneOf, anyOf } = recordOf(property)
  const choice = (value: unknown, label: unknown) => ({
    value: String(value),
    label: plainText(typeof label === 'string' ? label : String(value), 200).replace(/\s+/g, ' '),
  })
  if (Array.isArray(values)) {
    const labels = Array.isArray(enumNames) ? enumNames : []
    return values.slice(0, mostChoices).map((value, index) => choice(value, labels[index]))
  }
  const options = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return options.slice(0, mostChoices).flatMap((option) => {
    const { const: value, title } = recordOf(option)
    return value === undefined ? [] : [choice(value, title)]
  })
}

function recordOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [name: string]: unknown })
    : {}
}
