/** `double`: a number that is not a count. Without this type, a whole number would be exported as an integer. */
export type AttributeValue = string | number | boolean | readonly string[] | { readonly double: number }

export type AttributeValues = { readonly [name: string]: AttributeValue | undefined }

/** Attributes in OTLP's JSON format, separated by commas and without brackets, because most are written once and never read. */
export type AttributeText = string

/** The maximum length of an attribute that is not content: a name, a code or a location. */
const maxNameLength = 256

const writtenKeys = new Map<string, string>()

/** Omits undefined values. */
export function attributesOf(values: AttributeValues, longest = maxNameLength): AttributeText {
  let text = ''
  for (const key in values) {
    const value = values[key]
    const written = value === undefined ? undefined : writtenValue(value, longest)
    if (written !== undefined) text += `${(text === '' ? '' : ',') + writtenKey(key) + written}}`
  }
  return text
}

/** Attribute names are constants in this package, except those of the resource. */
function writtenKey(key: string): string {
  let written = writtenKeys.get(key)
  if (written === undefined) {
    written = `{"key":${JSON.stringify(key)},"value":`
    writtenKeys.set(key, written)
  }
  return written
}

/** One attribute. Cheaper than `attributesOf`, for those of most spans. Empty for a value that is unknown. */
export function attributeOf(key: string, value: AttributeValue | undefined): AttributeText {
  const written = value === undefined ? undefined : writtenValue(value, maxNameLength)
  return written === undefined ? '' : `${writtenKey(key)}${written}}`
}

/** Joins attributes. */
export function joinAttributes(a: AttributeText, b: AttributeText): AttributeText {
  return a === '' || b === '' ? a + b : `${a},${b}`
}

function writtenValue(value: AttributeValue, longest: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return `{"stringValue":${quotedJson(value, longest)}}`
    case 'boolean':
      return `{"boolValue":${value}}`
    case 'number':
      if (!Number.isFinite(value)) return undefined
      // 64-bit integers are strings in OTLP.
      return Number.isSafeInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
    case 'object':
      if ('double' in value) return `{"doubleValue":${value.double}}`
      return `{"arrayValue":{"values":[${value.map((item) => `{"stringValue":${quotedJson(item, longest)}}`).join()}]}}`
  }
}

/** A shortened text in JSON. Receivers reject a whole batch if it contains half a character. */
export function quotedJson(text: string, longest = maxNameLength): string {
  return JSON.stringify((text.length > longest ? text.slice(0, longest) : text).toWellFormed())
}
