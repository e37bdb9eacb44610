import type { Json } from '@cadre/core'

interface RouteHead {
  /** Its line in `inbox/routes.yaml`. */
  readonly line: number
  /** Files of `inbox/` without their ending; `*` stands for anything. */
  readonly from: readonly string[]
  /** What the fields of a line must be, all of them. */
  readonly match: readonly Condition[]
}

export interface Condition {
  /** `user`, or `body.issue.state` for what lies deeper. */
  readonly field: string
  /** One of these is enough. In a text `*` stands for anything; null is for a field that is not there. */
  readonly values: readonly (string | number | boolean | null)[]
}

/** To whom a line of the inbox goes. The first that fits counts. */
export type Route = RouteHead &
  (
    | {
        readonly kind: 'agent'
        readonly to: string
        /** Lines that give the same here are one conversation, and go to one session. */
        readonly conversation?: string
        readonly text?: string
      }
    | { readonly kind: 'task'; readonly task: TaskTemplate }
    | { readonly kind: 'drop' }
  )

/** A task that is made of a line. Texts are templates, except the name of the file. */
export interface TaskTemplate {
  readonly file: string
  readonly title: string
  readonly who: readonly string[]
  readonly tags: readonly string[]
  readonly priority?: string
  /** `description` and whatever else a task may say. */
  readonly fields: { readonly [field: string]: string }
}

const isOwn = Object.prototype.propertyIsEnumerable

/** What `a.b.c` leads to; nothing where there is none. Only what the data itself has: never what every object has. */
export function fieldAt(value: Json, field: string): Json | undefined {
  let at: Json | undefined = value
  for (const name of field.split('.')) {
    if (typeof at !== 'object' || at === null || !isOwn.call(at, name)) return undefined
    at = (at as { readonly [key: string]: Json })[name]
  }
  return at
}
