import { checkSchema, explainIssues, type JsonObject } from '@cadre/core'
import { HttpProblem } from './problem.ts'

type Schemas = { readonly [name: string]: JsonObject }

/** Reads the query according to the route's schemas. Rejects unknown, repeated and invalid parameters, so that none is ignored. */
export function readQuery(search: URLSearchParams, schemas: Schemas = {}): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const name of new Set(search.keys())) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
    if (schema === undefined) {
      const known = Object.keys(schemas).join(', ') || 'none'
      throw new HttpProblem(400, `Unknown parameter "${name.slice(0, 80)}". Known: ${known}.`, {
        code: 'usage',
      })
    }
    const values = search.getAll(name)
    if (schema['type'] !== 'array' && values.length > 1)
      throw new HttpProblem(400, `The parameter "${name}" is given twice.`, { code: 'usage' })
    query[name] = schema['type'] === 'array' ? values : parameterOf(values[0] ?? '', schema['type'])
  }
  const required = Object.keys(schemas).filter((name) => schemas[name]?.['x-required'] === true)
  const issues = checkSchema({ type: 'object', properties: schemas, required }, query)
  if (issues.length > 0)
    throw new HttpProblem(400, `Invalid parameter: ${explainIssues(issues)}.`, { code: 'usage' })
  return query
}

/** A value that is not a number or a boolean stays a string, which the schema rejects. */
function parameterOf(text: string, type: unknown): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (type === 'integer' || type === 'number')
    return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text
  return text
}
