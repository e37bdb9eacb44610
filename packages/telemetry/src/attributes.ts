/** `double`: a number that is no count, so that it has the same type when it happens to be whole. */
export type AttributeValue = string | number | boolean | readonly string[] | { readonly double: number }

export type Values = { readonly [name: string]: AttributeValue | undefined }

/** Attributes as OTLP writes them, in JSON, separated by commas and without brackets: most are written once and never read. */
export type AttributeText = string

/** The longest text of an attribute that is no content: a name, a code, a place. */
const longestName = 256

const writtenKeys = new Map<string, string>()

/** Omits undefined values. */
export function attributesOf(values: Values, longest = longestName): AttributeText {
  let text = ''
  for (const key in values) {
    const value = values[key]
    const written = value === undefined ? undefined : writtenValue(value, longest)
    if (written !== undefined) text += `${(text === '' ? '' : ',') + writtenKey(key) + written}}`
  }
  return text
}

/** Names of attributes are constants of this package, except those of the resource. */
function writtenKey(key: string): string {
  let written = writtenKeys.get(key)
  if (written === undefined) {
    written = `{"key":${JSON.stringify(key)},"value":`
    writtenKeys.set(key, written)
  }
  return written
}

/** Joins attributes. */
export function joinAttributes(a: AttributeText, b: AttributeText): AttributeText {
  return a === '' || b === '' ? a + b : `${a},${b}`
}

function writtenValue(value: AttributeValue, longest: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return `{"stringValue":${quoted(value, longest)}}`
    case 'boolean':
      return `{"boolValue":${value}}`
    case 'number':
      if (!Number.isFinite(value)) return undefined
      // 64-bit integers are strings in OTLP.
      return Number.isSafeInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
    case 'object':
      if ('double' in value) return `{"doubleValue":${value.double}}`
      return `{"arrayValue":{"values":[${value.map((item) => `{"stringValue":${quoted(item, longest)}}`).join()}]}}`
  }
}

/** A text in JSON, cut. Receivers reject a whole batch for half a character. */
export function quoted(text: string, longest = longestName): string {
  return JSON.stringify((text.length > longest ? text.slice(0, longest) : text).toWellFormed())
}
