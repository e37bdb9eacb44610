import { isObject, type Json } from '@cadre/core'
import type { Located } from '@cadre/disk'

/** Gives every part of a value the line of its original, or of its parent. */
export function withLineNumbers(value: Json, origin: Located | undefined, nearby: number): Located {
  // Unchanged parts stay the same object, because they are compared by identity.
  if (origin !== undefined && origin.value === value) return origin
  const line = origin?.line ?? nearby
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, index) =>
      withLineNumbers(item, origin?.items?.[index], line),
    )
    return { line, value, items }
  }
  if (!isObject(value)) return { line, value }
  const fields = new Map(
    Object.entries(value).map(([key, field]) => [
      key,
      withLineNumbers(field, origin?.fields?.get(key), line),
    ]),
  )
  return { line, value, fields }
}

/** Returns the line of a path such as `configuration.agents[0].name`, or of its nearest existing parent. */
export function lineOf(root: Located, path: string): number {
  let at = root
  for (const step of path.split(/[.[\]]+/).slice(1)) {
    const next = /^\d+$/.test(step) ? at.items?.[Number(step)] : at.fields?.get(step)
    if (next === undefined) break
    at = next
  }
  return at.line
}
