import type { IncomingMessage } from 'node:http'
import { checkSchema, explainIssues, type JsonObject } from '@cadre/core'
import { HttpProblem } from './problem.ts'
import { readBody } from './read-body.ts'

/** Reads a JSON body and checks it against the route's schema. Forms on other pages cannot send this content type. */
export async function readJsonBody(
  request: IncomingMessage,
  schema: JsonObject | undefined,
  maxBytes: number,
): Promise<unknown> {
  const { headers } = request
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new HttpProblem(415, 'Send the request without a content-encoding.')
  const body = await readBody(request, maxBytes)
  if (body.kind === 'too_large')
    throw new HttpProblem(413, `The request is too large (at most ${maxBytes} bytes).`)
  if (body.kind === 'broken') throw new HttpProblem(400, 'The request is incomplete.')
  if (body.bytes.length === 0 && schema === undefined) return undefined
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? ''))
    throw new HttpProblem(415, 'Send the body as application/json.')
  const value = parse(body.bytes)
  const issues = checkSchema(schema ?? emptyBody, value)
  if (issues.length > 0)
    throw new HttpProblem(400, `Invalid body: ${explainIssues(issues)}.`, { code: 'usage' })
  return value
}

/** The schema for routes that do not take a body. */
export const emptyBody = { type: 'object', additionalProperties: false, properties: {} }

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new HttpProblem(400, 'The body is not valid JSON.', { code: 'usage' })
  }
}
