import { isBlank } from '../text/is-blank.ts'

/**
 * The schema of a tool's input. Any Standard Schema works. The builders below avoid a dependency and its load time, and also produce the
 * JSON Schema that models see.
 */
export interface StandardSchema<T = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<T> | Promise<StandardResult<T>>
    /** Optional extension of the standard: export as JSON Schema. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
    }
    /** Carries the output type for inference only. */
    readonly types?: { readonly input: unknown; readonly output: T } | undefined
  }
}

export type StandardResult<T> =
  | { readonly value: T; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type JsonSchema = { readonly [key: string]: unknown }

export interface Schema<T> extends StandardSchema<T> {
  readonly json: JsonSchema
  readonly isOptional: boolean
  check(value: unknown, path: readonly PropertyKey[]): StandardResult<T>
}

export type Infer<S> = S extends StandardSchema<infer T> ? T : never

type Shape = { readonly [key: string]: Schema<unknown> }
type OptionalKeys<S extends Shape> = { [K in keyof S]: undefined extends Infer<S[K]> ? K : never }[keyof S]
type ObjectOf<S extends Shape> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Infer<S[K]> } & {
  [K in OptionalKeys<S>]?: Infer<S[K]>
}

/** Creates a schema from its JSON Schema and its check. */
export function schema<T>(json: JsonSchema, check: Schema<T>['check'], isOptional = false): Schema<T> {
  return {
    json,
    isOptional,
    check,
    '~standard': {
      version: 1,
      vendor: 'cadre',
      validate: (value) => check(value, []),
      jsonSchema: { input: () => json },
    },
  }
}

const wrong = (message: string, path: readonly PropertyKey[]) => ({ issues: [{ message, path }] })

export interface StringLimits {
  readonly min?: number
  readonly max?: number
  /** Text that contains only invisible characters counts as empty. */
  readonly visible?: true
}

export function string(description: string, limits: StringLimits = {}): Schema<string> {
  const json: Record<string, unknown> = { type: 'string', description }
  if (limits.min !== undefined) json['minLength'] = limits.min
  if (limits.max !== undefined) json['maxLength'] = limits.max
  return schema(json, (value, path) => {
    if (typeof value !== 'string') return wrong('must be a string', path)
    if (limits.visible && isBlank(value)) return wrong('must not be empty', path)
    if (limits.min !== undefined && value.trim().length < limits.min) {
      return wrong(
        limits.min === 1 ? 'must not be empty' : `must have at least ${limits.min} characters`,
        path,
      )
    }
    if (limits.max !== undefined && value.length > limits.max) {
      return wrong(`must have at most ${limits.max} characters, not ${value.length}`, path)
    }
    return { value }
  })
}

export function oneOf<const V extends string>(values: readonly V[], description: string): Schema<V> {
  return schema({ type: 'string', enum: values, description }, (value, path) =>
    values.includes(value as V) ? { value: value as V } : wrong(`must be one of: ${values.join(', ')}`, path),
  )
}

export function integer(description: string, limits: { min?: number; max?: number } = {}): Schema<number> {
  const json: Record<string, unknown> = { type: 'integer', description }
  if (limits.min !== undefined) json['minimum'] = limits.min
  if (limits.max !== undefined) json['maximum'] = limits.max
  return schema(json, (value, path) => {
    if (!Number.isSafeInteger(value)) return wrong('must be a whole number', path)
    const n = value as number
    if (limits.min !== undefined && n < limits.min) return wrong(`must be at least ${limits.min}`, path)
    if (limits.max !== undefined && n > limits.max) return wrong(`must be at most ${limits.max}`, path)
    return { value: n }
  })
}

export function number(description: string): Schema<number> {
  return schema({ type: 'number', description }, (value, path) =>
    typeof value === 'number' && Number.isFinite(value) ? { value } : wrong('must be a number', path),
  )
}

export function boolean(description: string): Schema<boolean> {
  return schema({ type: 'boolean', description }, (value, path) =>
    typeof value === 'boolean' ? { value } : wrong('must be true or false', path),
  )
}

export function array<T>(of: Schema<T>, description: string): Schema<T[]> {
  return schema({ type: 'array', items: of.json, description }, (value, path) => {
    if (!Array.isArray(value)) return wrong('must be a list', path)
    const out: T[] = []
    for (const [index, item] of value.entries()) {
      const result = of.check(item, [...path, index])
      if (result.issues !== undefined) return result
      out.push(result.value)
    }
    return { value: out }
  })
}

/** Accepts any value. For values that are only passed on. */
export function anything(description: string): Schema<unknown> {
  return schema({ description }, (value) => ({ value }))
}

export function optional<T>(of: Schema<T>): Schema<T | undefined> {
  return schema<T | undefined>(
    of.json,
    // Models often write null for an optional argument that they do not need.
    (value, path) => (value === undefined || value === null ? { value: undefined } : of.check(value, path)),
    true,
  )
}

/** Unknown keys are an error: a misspelt argument must not be silently ignored. */
export function object<S extends Shape>(shape: S, description?: string): Schema<ObjectOf<S>> {
  const keys = Object.keys(shape)
  const required = keys.filter((key) => !shape[key]?.isOptional)
  const json: Record<string, unknown> = {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, shape[key]?.json])),
    required,
    additionalProperties: false,
  }
  if (description !== undefined) json['description'] = description
  return schema(json, (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong('must be an object', path)
    const given = value as Record<string, unknown>
    const out: Record<string, unknown> = {}
    for (const key of keys) {
      const of = shape[key] as Schema<unknown>
      if (!Object.hasOwn(given, key) && !of.isOptional) return wrong('is missing', [...path, key])
      const result = of.check(Object.hasOwn(given, key) ? given[key] : undefined, [...path, key])
      if (result.issues !== undefined) return result
      if (result.value !== undefined) out[key] = result.value
    }
    for (const key of Object.keys(given)) {
      if (!Object.hasOwn(shape, key))
        return wrong(`is unknown. Known keys: ${keys.join(', ')}`, [...path, key])
    }
    return { value: out as ObjectOf<S> }
  })
}

/** Describes the first issue in one sentence, for example `path is missing`. */
export function explainIssues(issues: readonly StandardIssue[]): string {
  return issues
    .slice(0, 3)
    .map((issue) => {
      const path = (issue.path ?? [])
        .map((part) => String(typeof part === 'object' ? part.key : part))
        .join('.')
      return path === '' ? issue.message : `${path} ${issue.message}`
    })
    .join('; ')
}
