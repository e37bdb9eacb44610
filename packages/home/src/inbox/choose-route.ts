import type { Json, JsonObject } from '@cadre/core'
import { matchesPattern } from '@cadre/disk'
import { type Condition, fieldAt, type InboxRoute } from './inbox-route.ts'

/** Returns the first route that matches a line of `inbox/<file>.jsonl`. */
export function chooseRoute(
  routes: readonly InboxRoute[],
  file: string,
  data: JsonObject,
): InboxRoute | undefined {
  return routes.find(
    ({ from, match }) =>
      from.some((pattern) => matchesPattern(file, pattern)) && match.every((one) => fits(one, data)),
  )
}

function fits({ field, values }: Condition, data: JsonObject): boolean {
  const found = fieldAt(data, field) ?? null
  // If the field is a list, such as labels, one matching item is enough.
  const candidates: readonly Json[] = Array.isArray(found) ? found : [found]
  return values.some((wanted) => candidates.some((value) => isSame(wanted, value)))
}

function isSame(wanted: Condition['values'][number], value: Json): boolean {
  if (wanted === null || value === null || typeof value === 'object') return wanted === value
  return typeof wanted === 'string' ? matchesPattern(String(value), wanted) : wanted === value
}
