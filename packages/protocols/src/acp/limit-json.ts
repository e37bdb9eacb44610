const maxString = 8_000
const maxItems = 200
const maxDepth = 12
const maxTotal = 64_000

/**
 * The input or output of a call for an editor, with long texts shortened. It is only for display: an action that a person must decide is shown
 * completely in the permission request.
 */
export function limitJson(value: unknown): unknown {
  let left = maxTotal
  const cap = (one: unknown, depth: number): unknown => {
    if (typeof one === 'string') {
      const max = Math.max(0, Math.min(maxString, left))
      left -= Math.min(one.length, max)
      return truncateText(one, max)
    }
    if (typeof one !== 'object' || one === null) return one
    if (depth >= maxDepth || left <= 0) return '…'
    if (Array.isArray(one)) {
      const shown = one.slice(0, maxItems).map((item) => cap(item, depth + 1))
      return one.length > maxItems ? [...shown, `… ${one.length - maxItems} more`] : shown
    }
    const fields = Object.entries(one).slice(0, maxItems)
    return Object.fromEntries(
      fields.map(([name, item]) => {
        left -= name.length
        return [name.slice(0, 200), cap(item, depth + 1)]
      }),
    )
  }
  return cap(value, 0)
}

/** Shortens a text between characters, and adds how much is missing. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text
  const code = text.charCodeAt(max - 1)
  const at = code >= 0xd800 && code <= 0xdbff ? max - 1 : max
  return `${text.slice(0, at)}… (${text.length - at} more characters)`
}

/** The arguments of a call: JSON as the model wrote it, valid or not. */
export function parseInput(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
