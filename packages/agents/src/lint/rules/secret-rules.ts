import type { Json } from '@cadre/core'
import type { Located } from '@cadre/disk'
import type { FileRule } from '../subject.ts'
import type { WrittenHeader } from '../written-header.ts'

/** Prefixes of keys of well-known services. */
const known =
  /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}|glpat-[\w-]{16}|sk-(?=[\w-]{0,80}\d)[\w-]{16}|xox[abeprs]-[\w-]{10}|AKIA[0-9A-Z]{16}|AIza[\w-]{30}|npm_[A-Za-z0-9]{30}|hf_[A-Za-z0-9]{30}|eyJ[\w-]{10,2000}\.eyJ[\w-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY)/
const secretName =
  /(?:token|secret|passw(?:or)?d|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credential|^key$)/i
/** A placeholder instead of a value: `$VAR`, `${{ secrets.X }}`, `<your key>`, `{KEY}`, `%VAR%`, `xxxx`. */
const placeholder =
  /[$<>{}%*]|^(?:bearer\s+)?(?:your|my|the|insert|replace|change|example|dummy|test|todo|none|x{3,}|\.{3})/i

/** Returns values that look like keys, with their positions. Use the values only for comparison, never print them. */
function secretsIn(
  header: WrittenHeader,
): { readonly name: string; readonly line: number; readonly value: string }[] {
  const found: { name: string; line: number; value: string }[] = []
  const look = (name: string, { line, value, fields, items }: Located, within: string) => {
    if (fields !== undefined) for (const [key, field] of fields) look(key, field, `${within}.${key}`)
    else if (items !== undefined) for (const item of items) look(name, item, within)
    else if (isSecret(name, value)) found.push({ name: within, line, value: String(value) })
  }
  for (const { written, field } of header.values()) look(written, field, written)
  return found
}

function isSecret(name: string, value: Json): boolean {
  if (typeof value !== 'string') return false
  if (known.test(value)) return true
  if (!secretName.test(name) || placeholder.test(value)) return false
  const word = value.replace(/^(?:bearer|basic|token)\s+/i, '')
  return /^\S{12,}$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word)
}

/** Replaces every value that looks like a key, so that parts of a file can be shown. */
export function hideSecrets(text: string, header: WrittenHeader): string {
  let shown = text
  for (const { value } of secretsIn(header)) shown = shown.replaceAll(value, '[secret]')
  return shown.replace(new RegExp(`${known.source}[\\w-]*`, 'g'), '[secret]')
}

export const secretRule: FileRule = ({ header }) =>
  secretsIn(header).map(({ name, line }) => ({
    severity: 'warning' as const,
    code: 'secret-in-header',
    line,
    message: `${name} looks like a key or password. Anyone who can read the file can use it.`,
    fix: `Revoke it where it was issued, and use a variable instead: \${NAME}.`,
  }))
