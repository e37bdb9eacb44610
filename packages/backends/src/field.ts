import { CadreError, didYouMean } from '@cadre/core'

/** Returns the place of a value for messages: `path:line` for a file, the key path for an object in memory. */
export type Origin = (owner: object | undefined, key: string | number | undefined, path: string) => string

/** For objects made by code, which have only a key path. */
export const originInMemory: Origin = (_owner, _key, path) => (path === '' ? 'the playbook' : path)

/**
 * One external value with its place. Every method returns a value of the requested type, or throws a `configuration` error
 * with the place. The result is trusted.
 */
export class Field {
  readonly value: unknown
  readonly path: string
  readonly #origin: Origin
  readonly #owner: object | undefined
  readonly #key: string | number | undefined

  constructor(value: unknown, origin: Origin, path = '', owner?: object, key?: string | number) {
    this.value = value
    this.path = path
    this.#origin = origin
    this.#owner = owner
    this.#key = key
  }

  get where(): string {
    return this.#origin(this.#owner, this.#key, this.path)
  }

  get name(): string {
    return typeof this.#key === 'string' ? `"${this.#key}"` : this.path === '' ? 'the file' : this.path
  }

  fail(message: string): never {
    throw new CadreError('configuration', message, { where: this.where })
  }

  get isMapping(): boolean {
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)
  }

  /** A mapping with only these keys. `what` names it in the error: `a step`. */
  mapping(what: string, known: readonly string[]): this {
    if (!this.isMapping) this.fail(`${this.name} must be ${what}: a mapping of keys to values.`)
    for (const [key, field] of this.entries()) {
      if (known.includes(key)) continue
      const hint = didYouMean(key, known) || `. Known keys: ${known.join(', ')}.`
      field.fail(`unknown key "${key}" in ${what}${hint}`)
    }
    return this
  }

  entries(): [string, Field][] {
    if (!this.isMapping) this.fail(`${this.name} must be a mapping of keys to values.`)
    const owner = this.value as Record<string, unknown>
    return Object.keys(owner).map((key) => [key, this.#child(owner, key)])
  }

  /** Returns the value of `key`; `undefined` if it is missing. */
  at(key: string): Field | undefined {
    const owner = this.value as Record<string, unknown>
    return Object.hasOwn(owner, key) && owner[key] !== undefined ? this.#child(owner, key) : undefined
  }

  items(): Field[] {
    if (!Array.isArray(this.value)) this.fail(`${this.name} must be a list.`)
    const owner = this.value as unknown[]
    return owner.map((_, index) => this.#child(owner, index))
  }

  text(): string {
    if (typeof this.value === 'string') return this.value
    // `reply: 42` is clearly meant as text; only a list or mapping is an error.
    if (typeof this.value === 'number' || typeof this.value === 'boolean') return String(this.value)
    return this.fail(
      `${this.name} must be text${this.value === null ? ", but it is empty. For no text, write ''" : ''}.`,
    )
  }

  /** Non-empty text. */
  words(): string {
    const text = this.text()
    return text.trim() === '' ? this.fail(`${this.name} must not be empty.`) : text
  }

  /** A string or a list of strings, as a list. */
  texts(): string[] {
    return Array.isArray(this.value) ? this.items().map((item) => item.text()) : [this.text()]
  }

  whole(min: number): number {
    if (Number.isSafeInteger(this.value) && (this.value as number) >= min) return this.value as number
    return this.fail(`${this.name} must be a whole number of at least ${min}.`)
  }

  amount(): number {
    if (typeof this.value === 'number' && Number.isFinite(this.value) && this.value >= 0) return this.value
    return this.fail(`${this.name} must be a number of at least 0.`)
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.fail(`${this.name} must be true or false.`)
  }

  oneOf<const V extends string>(values: readonly V[]): V {
    const value = values.find((candidate) => candidate === this.value)
    if (value !== undefined) return value
    const hint = typeof this.value === 'string' ? didYouMean(this.value, values) : ''
    return this.fail(`${this.name} must be one of: ${values.join(', ')}${hint || '.'}`)
  }

  #child(owner: object, key: string | number): Field {
    const path =
      typeof key === 'number' ? `${this.path}[${key}]` : this.path === '' ? key : `${this.path}.${key}`
    return new Field((owner as Record<string | number, unknown>)[key], this.#origin, path, owner, key)
  }
}
