import type { Diagnostic } from '../diagnostic.ts'
import type { Located } from '../located.ts'

/**
 * The keys of one header, under the names this program uses. Keeps track of what was read, so that the rest can be kept, and of
 * what was wrong with it.
 */
export class HeaderReader {
  readonly path: string
  readonly diagnostics: Diagnostic[] = []
  readonly #fields = new Map<string, { readonly written: string; readonly field: Located }>()
  readonly #read = new Set<string>()

  constructor(
    path: string,
    fields: ReadonlyMap<string, Located>,
    synonyms: { readonly [spelling: string]: string },
  ) {
    this.path = path
    for (const [written, field] of fields) {
      // `max-turns`, `max_turns` and `maxTurns` are one key.
      const plain = written.toLowerCase().replaceAll(/[-_]/g, '')
      const key = Object.hasOwn(synonyms, plain) ? (synonyms[plain] as string) : plain
      const other = this.#fields.get(key)
      if (other === undefined) this.#fields.set(key, { written, field })
      else {
        this.report(
          'error',
          'key-twice',
          field.line,
          `${written} and ${other.written} mean the same, and only one can hold.`,
          'Remove one of them.',
        )
      }
    }
  }

  get failed(): boolean {
    return this.diagnostics.some((diagnostic) => diagnostic.severity === 'error')
  }

  take(key: string): Located | undefined {
    const found = this.#fields.get(key)
    if (found !== undefined) this.#read.add(key)
    return found?.field
  }

  text(key: string): string | undefined {
    const field = this.take(key)
    if (field === undefined || field.value === null) return undefined
    if (typeof field.value === 'string') return field.value.trim()
    if (typeof field.value === 'number') return String(field.value)
    this.wrong(key, field, 'must be text')
    return undefined
  }

  flag(key: string): boolean | undefined {
    const field = this.take(key)
    if (field === undefined) return undefined
    if (typeof field.value === 'boolean') return field.value
    if (field.value === 'true' || field.value === 'false') return field.value === 'true'
    this.wrong(key, field, 'must be true or false')
    return undefined
  }

  positive(key: string, field = this.take(key)): number | undefined {
    if (field === undefined) return undefined
    const value =
      typeof field.value === 'string' && /^\d+$/.test(field.value) ? Number(field.value) : field.value
    if (typeof value === 'number' && value > 0 && Number.isSafeInteger(value)) return value
    this.wrong(key, field, 'must be a whole number above 0')
    return undefined
  }

  wrong(key: string, field: Located, rule: string): void {
    const written = this.#fields.get(key)?.written ?? key
    this.report(
      'error',
      'wrong-value',
      field.line,
      `${written} ${rule}, not ${JSON.stringify(field.value)?.slice(0, 80)}.`,
    )
  }

  report(severity: Diagnostic['severity'], code: string, line: number, message: string, fix?: string): void {
    this.diagnostics.push({
      path: this.path,
      line,
      severity,
      code,
      message,
      ...(fix !== undefined && { fix }),
    })
  }

  /** What nobody asked for, as it was written. */
  rest(): [string, Located][] {
    return [...this.#fields].flatMap(([key, { written, field }]) =>
      this.#read.has(key) ? [] : [[written, field] as [string, Located]],
    )
  }
}
