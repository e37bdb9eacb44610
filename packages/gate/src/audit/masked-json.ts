import type { Json } from '@cadre/core'
import { maskSecrets } from '@cadre/disk'

const secretKey = /^(?:.*[-_])?(?:passw(?:or)?d|passphrase|secret|token|api[-_]?key|authorization)$/i

/** Masks every text in a value except object keys, which name what it is. */
export function maskedJson(value: Json | undefined, values: readonly string[], key = ''): Json | undefined {
  if (typeof value === 'string')
    return secretKey.test(key) && value !== '' ? '***' : maskSecrets(value, values)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: Json) => maskedJson(item, values, key) as Json)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, maskedJson(item, values, name) as Json]),
  )
}
