import { interpretToolName } from '@cadre/core'
import type { Located } from '@cadre/disk'

export interface Names {
  readonly names: readonly string[]
  /** Items that are not text. */
  readonly dropped: readonly Located[]
}

/** Reads a list of names in any dialect: a list, or comma-separated text. `undefined` for anything else. */
export function readNames(field: Located): Names | undefined {
  if (typeof field.value === 'string') {
    // Not valid YAML, so any special character may have been intended.
    if (field.isLoose === true && /[[\]{}"'`*&!|>\n]|:\s/.test(field.value)) return undefined
    return { names: split(field.value), dropped: [] }
  }
  if (field.items === undefined) return undefined
  const texts = field.items.filter((item) => typeof item.value === 'string')
  return {
    // Joined first: YAML splits `[Agent(a, b), Read]` at every comma.
    names: split(texts.map((item) => item.value as string).join(',')),
    dropped: field.items.filter((item) => typeof item.value !== 'string'),
  }
}

/** Splits `Read Grep Glob` into words. In `Microsoft Docs`, the space is part of the name. */
export function splitToolNames(name: string): readonly string[] {
  const words = name.split(/\s+/)
  const areTools = words.every((word) => !['all', 'unknown'].includes(interpretToolName(word).kind))
  return words.length > 1 && areTools ? words : [name]
}

/** Splits at commas and line ends, except within parentheses. */
function split(text: string): string[] {
  const names: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at]
    if (sign === '(') depth++
    else if (sign === ')') depth = Math.max(0, depth - 1)
    else if (at === text.length || ((sign === ',' || sign === '\n') && depth === 0)) {
      names.push(text.slice(start, at).trim())
      start = at + 1
    }
  }
  return names.filter((name) => name !== '')
}
