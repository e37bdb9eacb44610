import type { Json } from '@cadre/core'
import { maskSecrets } from '@cadre/disk'

const secretKey = /^(?:.*[-_])?(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|authorization)$/i

/** Masks every text in a value except object keys, which name what it is. */
export function maskedJson(value: Json | undefined, values: readonly string[], key = ''): Json | undefined {
  if (typeof value === 'string')
    return secretKey.test(key) && value !== ''
      ? '***'
      : maskSecrets(key === 'arguments' ? maskedArguments(value, values) : value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => maskedJson(item, values, key) as Json)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, maskedJson(item, values, name) as Json]),
  )
}

/** The arguments of a call are JSON in a text: inside them, quotes are escaped, and names of values cannot be recognised. */
function maskedArguments(text: string, values: readonly string[]): string {
  try {
    const given = JSON.parse(text) as Json
    const masked = JSON.stringify(maskedJson(given, values))
    return masked === JSON.stringify(given) ? text : masked
  } catch {
    // Not JSON, or nested too deep.
    return text
  }
}
