import { type Diagnostic, type Located, readYaml } from '@cadre/disk'

export interface SplitText {
  /** The keys between the two lines of dashes. */
  readonly fields: ReadonlyMap<string, Located>
  readonly body: string
  readonly diagnostics: readonly Diagnostic[]
}

const header = /^---[ \t]*\n([\s\S]*?)\n?---[ \t]*(?:\n|$)/

/** Splits a Markdown file into its header and its text. A header that is not valid YAML is ignored and reported. */
export function splitHeader(text: string, path: string): SplitText {
  const found = header.exec(text)
  if (found === null) return { fields: new Map(), body: text, diagnostics: [] }
  const body = text.slice(found[0].length)
  const read = readYaml({ text: found[1] ?? '', path, firstLine: 2, duplicates: 'first' })
  if (read.kind === 'read') return { fields: read.root.fields ?? new Map(), body, diagnostics: [] }
  const loose = looseFields(found[1] ?? '')
  const [first] = read.diagnostics
  const message = `The header is not valid YAML${first === undefined ? '' : `: ${first.message}`}`
  return {
    fields: loose,
    body,
    diagnostics: [{ path, line: first?.line ?? 1, severity: 'warning', code: 'header', message }],
  }
}

/** Hosts read `key: some text: with a colon` as text, but YAML does not. */
function looseFields(text: string): ReadonlyMap<string, Located> {
  const fields = new Map<string, Located>()
  for (const [at, line] of text.split('\n').entries()) {
    const found = /^([A-Za-z][\w-]*):[ \t]*(\S.*?)[ \t]*$/.exec(line)
    if (found === null || fields.has(found[1] as string)) continue
    const value = (found[2] as string).replace(/^(["'])(.*)\1$/, '$2')
    fields.set(found[1] as string, { line: at + 2, value })
  }
  return fields
}

/** Returns the text of a key, on one line. */
export function textValue(
  fields: ReadonlyMap<string, Located>,
  ...keys: readonly string[]
): string | undefined {
  for (const key of keys) {
    const value = fields.get(key)?.value
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return String(value)
  }
  return undefined
}

/** Returns a key that is a list of strings, or comma-separated text. */
export function listValue(
  fields: ReadonlyMap<string, Located>,
  ...keys: readonly string[]
): string[] | undefined {
  for (const key of keys) {
    const value = fields.get(key)?.value
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string')
    if (typeof value === 'string')
      return value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
  }
  return undefined
}
