import type { Json } from '@cadre/core'

interface RouteHead {
  /** Its line in `inbox/routes.yaml`. */
  readonly line: number
  /** Files of `inbox/` without extension. `*` matches any text. */
  readonly from: readonly string[]
  /** Conditions for fields of a line. All must match. */
  readonly match: readonly Condition[]
}

export interface Condition {
  /** `user`, or `body.issue.state` for a nested field. */
  readonly field: string
  /** One of these must match. In a text, `*` matches anything; null matches a missing field. */
  readonly values: readonly (string | number | boolean | null)[]
}

/** Where a line of the inbox goes. The first matching route applies. */
export type InboxRoute = RouteHead &
  (
    | {
        readonly kind: 'agent'
        readonly to: string
        /** Lines with the same value are one conversation and go to one session. */
        readonly conversation?: string
        readonly text?: string
      }
    | { readonly kind: 'task'; readonly task: TaskTemplate }
    | { readonly kind: 'drop' }
  )

/** A task to create from a line. Texts are templates, except the file name. */
export interface TaskTemplate {
  readonly file: string
  readonly title: string
  readonly who: readonly string[]
  readonly tags: readonly string[]
  readonly priority?: string
  /** `description` and other task fields. */
  readonly fields: { readonly [field: string]: string }
}

const isOwn = Object.prototype.propertyIsEnumerable

/** Returns the value at `a.b.c`, or `undefined`. Reads only own properties of the data. */
export function fieldAt(value: Json, field: string): Json | undefined {
  let at: Json | undefined = value
  for (const name of field.split('.')) {
    if (typeof at !== 'object' || at === null || !isOwn.call(at, name)) return undefined
    at = (at as { readonly [key: string]: Json })[name]
  }
  return at
}
