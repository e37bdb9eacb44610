import type { Diagnostic, Located } from '@cadre/disk'
import type { HeaderEntry, UnreadRestriction } from '../header/find-unread-restrictions.ts'
import { plainKey } from '../header/known-keys.ts'

export interface HeaderReaderOptions {
  readonly path: string
  readonly dialect: string
  readonly entries: readonly HeaderEntry[]
  /** Other names for keys, normalized. */
  readonly synonyms: { readonly [spelling: string]: string }
  readonly unseen?: readonly UnreadRestriction[]
}

/** The keys of one header, under Cadre's names. Tracks which were read, so that the others can be kept, and their errors. */
export class HeaderReader {
  readonly path: string
  readonly dialect: string
  readonly unseen: readonly UnreadRestriction[]
  readonly diagnostics: Diagnostic[] = []
  readonly #entries = new Map<string, HeaderEntry[]>()
  readonly #read = new Set<string>()

  constructor({ path, dialect, entries, synonyms, unseen = [] }: HeaderReaderOptions) {
    this.path = path
    this.dialect = dialect
    this.unseen = unseen
    for (const entry of entries) {
      const plain = plainKey(entry.written)
      const key = Object.hasOwn(synonyms, plain) ? (synonyms[plain] as string) : plain
      const others = this.#entries.get(key)
      if (others === undefined) this.#entries.set(key, [entry])
      else others.push(entry)
    }
  }

  get failed(): boolean {
    return this.diagnostics.some((diagnostic) => diagnostic.severity === 'error')
  }

  /** Returns the value of a key; the first if it occurs twice. */
  take(key: string): Located | undefined {
    const [first, ...others] = this.#entries.get(key) ?? []
    if (first === undefined) return undefined
    if (!this.#read.has(key)) this.#reportTwice(first, others, 'Cadre uses the first one')
    this.#read.add(key)
    return first.field
  }

  /** Returns every value of a key: all values of a restriction apply. */
  takeAll(key: string): readonly Located[] {
    const entries = this.#entries.get(key) ?? []
    const [first, ...others] = entries
    if (first === undefined) return []
    if (!this.#read.has(key))
      this.#reportTwice(first, others, 'Cadre applies both, so the agent gets only what both permit')
    this.#read.add(key)
    return entries.map(({ field }) => field)
  }

  /** Returns the value of a key that is also kept among the unknown ones. */
  peek(key: string): Located | undefined {
    return this.#entries.get(key)?.[0]?.field
  }

  /** Returns text, even if YAML reads it as a number or boolean. */
  text(key: string): string | undefined {
    const field = this.take(key)
    if (field === undefined || field.value === null) return undefined
    if (typeof field.value !== 'object') return String(field.value).trim()
    this.report('warning', 'wrong-value', field.line, `${this.#written(key)} must be text. Cadre ignores it.`)
    return undefined
  }

  /** Returns whether a restricting flag is set; an invalid one counts as set. */
  restricts(key: string, when: boolean): boolean | undefined {
    const flags = this.takeAll(key).map((field) => this.#flag(key, field, when))
    return flags.length === 0 ? undefined : flags.includes(when) ? when : !when
  }

  flag(key: string): boolean | undefined {
    const field = this.take(key)
    return field === undefined ? undefined : this.#flag(key, field, false)
  }

  positive(key: string): number | undefined {
    const numbers = this.takeAll(key).map((field) => {
      const value =
        typeof field.value === 'string' && /^\d+$/.test(field.value) ? Number(field.value) : field.value
      if (typeof value === 'number' && value > 0 && Number.isSafeInteger(value)) return value
      this.wrong(key, field, 'must be a whole number greater than 0')
      return undefined
    })
    return minimum(numbers)
  }

  /** Reports an invalid value that makes the agent unusable. */
  wrong(key: string, field: Located, rule: string): void {
    this.report(
      'error',
      'wrong-value',
      field.line,
      `${this.#written(key)} ${rule}, not ${describeValue(field)}.`,
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

  /** Returns unread keys, as written. */
  rest(): [string, Located][] {
    return [...this.#entries].flatMap(([key, [first, ...others]]): [string, Located][] => {
      if (this.#read.has(key) || first === undefined) return []
      this.#reportTwice(first, others, 'Cadre uses the first one')
      return [[first.written, first.field]]
    })
  }

  #flag(key: string, field: Located, otherwise: boolean): boolean {
    if (typeof field.value === 'boolean') return field.value
    const word = String(field.value).trim().toLowerCase()
    if (/^(?:true|yes|on|false|no|off)$/.test(word)) return /^(?:true|yes|on)$/.test(word)
    this.report(
      'warning',
      'flag-unclear',
      field.line,
      `${this.#written(key)} must be true or false, not ${describeValue(field)}. Cadre uses ${otherwise}.`,
      `Write ${this.#written(key)}: true or ${this.#written(key)}: false.`,
    )
    return otherwise
  }

  #reportTwice(first: HeaderEntry, others: readonly HeaderEntry[], rule: string): void {
    for (const { written, field } of others) {
      const which =
        written === first.written ? 'is defined twice' : `has the same meaning as ${first.written}`
      this.report('warning', 'key-twice', field.line, `${written} ${which}. ${rule}.`, 'Remove one of them.')
    }
  }

  #written(key: string): string {
    return this.#entries.get(key)?.[0]?.written ?? key
  }
}

/** Returns the smallest of the given numbers. */
export function minimum(numbers: readonly (number | undefined)[]): number | undefined {
  const given = numbers.filter((number) => number !== undefined)
  return given.length === 0 ? undefined : Math.min(...given)
}

function describeValue({ value }: Located): string {
  return JSON.stringify(value).slice(0, 80)
}
