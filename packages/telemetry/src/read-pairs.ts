export interface ParsedPairs {
  readonly pairs: readonly (readonly [key: string, value: string])[]
  /** How many entries are not `key=value`. Their text may be a secret, so it is not returned. */
  readonly invalid: number
}

/** Reads `key=value,key=value`, with values in percent-encoding, as OpenTelemetry writes lists in environment variables. */
export function readPairs(text = ''): ParsedPairs {
  const entries = text.split(',').filter((entry) => entry.trim() !== '')
  const pairs = entries.flatMap((entry) => {
    const at = entry.indexOf('=')
    const key = entry.slice(0, Math.max(at, 0)).trim()
    const value = decoded(entry.slice(at + 1).trim())
    return key === '' || value === undefined ? [] : [[key, value] as const]
  })
  return { pairs, invalid: entries.length - pairs.length }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
