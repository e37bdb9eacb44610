import type { JsonObject } from '@cadre/core'
import { fieldAt } from './route.ts'

const placeholder = /\{([A-Za-z0-9_][A-Za-z0-9_.|-]{0,199})\}/g
const longestValue = 20_000

/** Puts the data of a line in the place of `{field}`, `{a.b}` and `{one|other}`; what is not there leaves nothing. Data is never a template. */
export function fillTemplate(template: string, data: JsonObject): string {
  return template.replace(placeholder, (_, field: string) => shown(data, field))
}

/** Whether anything of the data went into it; a template without fields counts as filled. */
export function isTemplateFilled(template: string, data: JsonObject): boolean {
  const fields = [...template.matchAll(placeholder)].map(([, field = '']) => field)
  return fields.length === 0 || fields.some((field) => shown(data, field) !== '')
}

/** Of several fields the first that says something. */
function shown(data: JsonObject, fields: string): string {
  for (const field of fields.split('|')) {
    const value = fieldAt(data, field) ?? ''
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    if (text !== '') return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text
  }
  return ''
}
