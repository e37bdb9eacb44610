import { type OperationName, operations } from '@cadre/api'
import { HttpProblem } from './problem.ts'

export interface Match {
  readonly operation: OperationName
  readonly params: Readonly<Record<string, string>>
}

interface Pattern {
  readonly operation: OperationName
  readonly method: string
  readonly parts: readonly string[]
}

const patterns: readonly Pattern[] = Object.entries(operations).map(([operation, [method, path]]) => ({
  operation: operation as OperationName,
  method,
  parts: path.split('/'),
}))

/** Finds the operation for a request. Throws 404 or 405. Treats `HEAD` like `GET`. */
export function matchRoute(method: string, path: string): Match {
  const parts = path.split('/')
  const fitting = patterns.filter((pattern) => fits(pattern.parts, parts))
  if (fitting.length === 0)
    throw new HttpProblem(404, 'Not found. GET /api/openapi.json lists all operations.')
  const wanted = method === 'HEAD' ? 'GET' : method
  const found = fitting.find((pattern) => pattern.method === wanted)
  if (found === undefined) {
    const allow = [...new Set(fitting.map((pattern) => pattern.method))].join(', ')
    throw new HttpProblem(405, `This address accepts only ${allow}.`, { headers: { allow } })
  }
  return { operation: found.operation, params: paramsOf(found.parts, parts) }
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
  )
}

function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries())
    if (part.startsWith('{')) params[part.slice(1, -1)] = decoded(parts[index] ?? '')
  return params
}

function decoded(part: string): string {
  let text: string
  try {
    text = decodeURIComponent(part)
  } catch {
    throw new HttpProblem(400, 'The address is not encoded correctly.')
  }
  if (text.length > 300 || /\p{Cc}/u.test(text))
    throw new HttpProblem(400, 'A name in the address is invalid.')
  return text
}
