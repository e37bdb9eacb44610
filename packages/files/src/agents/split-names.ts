import type { Located } from '../located.ts'

/** A list of names as the dialects write it: a list, or one text with commas. `undefined` for anything else. */
export function splitNames(field: Located): string[] | undefined {
  if (typeof field.value === 'string') return split(field.value)
  if (field.items === undefined) return undefined
  const parts = field.items.map((item) => item.value)
  if (!parts.every((part) => typeof part === 'string')) return undefined
  // Joined first: YAML cuts `[Agent(a, b), Read]` at every comma.
  return split(parts.join(','))
}

/** At commas, except within parentheses. */
function split(text: string): string[] {
  const names: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at]
    if (sign === '(') depth++
    else if (sign === ')') depth = Math.max(0, depth - 1)
    else if (at === text.length || (sign === ',' && depth === 0)) {
      names.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return names.filter((name) => name !== '')
}
