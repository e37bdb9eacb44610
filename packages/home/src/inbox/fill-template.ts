import type { JsonObject } from '@cadre/core'
import { fieldAt } from './inbox-route.ts'

const placeholder = /\{([A-Za-z0-9_][A-Za-z0-9_.|-]{0,199})\}/g
const maxValueLength = 20_000

/**
 * Replaces `{field}`, `{a.b}` and `{one|other}` with the data of a line. Missing fields become empty. Data is never expanded as a template.
 */
export function fillTemplate(template: string, data: JsonObject): string {
  return template.replace(placeholder, (_, field: string) => fieldText(data, field))
}

/** Returns whether any field of the template has data. A template without fields counts as filled. */
export function isTemplateFilled(template: string, data: JsonObject): boolean {
  const fields = [...template.matchAll(placeholder)].map(([, field = '']) => field)
  return fields.length === 0 || fields.some((field) => fieldText(data, field) !== '')
}

/** Returns the first field that is not empty. */
function fieldText(data: JsonObject, fields: string): string {
  for (const field of fields.split('|')) {
    const value = fieldAt(data, field) ?? ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    if (text !== '') return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text
  }
  return ''
}
