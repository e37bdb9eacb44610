import { quoted } from './write-text.ts'

const entry = /^([ \t]*(?:- +)*[\w-]+:[ \t]+)(\S.*)$/s
const item = /^([ \t]*(?:- +)+)(\S.*)$/s

/**
 * Puts the plain values of nested keys in quotes where YAML would stumble over them. Whole lines only, one at a time: what
 * goes on in the next line is left as it is.
 */
export function quoteValues(lines: readonly string[]): string[] {
  return lines.map((line, index) => {
    if (index === 0) return line
    const match = entry.exec(line) ?? item.exec(line)
    const [, before = '', value = ''] = match ?? []
    return isRisky(value) ? before + quoted(value.trimEnd()) : line
  })
}

function isRisky(value: string): boolean {
  if (value === '' || /^(?:["'[{#]|[|>][-+\d]{0,2}\s*$)/.test(value)) return false
  return /^[*&!%@`]/.test(value) || /:(?:\s|$)/.test(value)
}
