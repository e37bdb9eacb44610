import type { Problem } from '@cadre/api'
import { CadreError, type ErrorCode, sentenceOf } from '@cadre/core'

/** An error that is sent as `application/problem+json`. Its text is for a person. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly status: number
  readonly code: string | undefined
  /** The answer's headers, such as the current ETag. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    options: { readonly code?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.code = options.code
    this.headers = options.headers ?? {}
  }
}

const statuses: Partial<Record<ErrorCode, number>> = {
  usage: 400,
  configuration: 409,
  policy: 403,
  hook_denied: 403,
  tool_access: 403,
  approval_rejected: 403,
  not_found: 404,
  unknown_model: 404,
  owned: 409,
  in_doubt: 409,
  cancelled: 409,
  delegation: 409,
  circular_delegation: 409,
  budget_exceeded: 409,
  tools_unsupported: 409,
  timeout: 503,
  backend: 502,
}

/** Turns an error from a route into a problem. Returns `undefined` for a bug, which the server reports without details. */
export function problemOf(error: unknown): HttpProblem | undefined {
  if (error instanceof HttpProblem) return error
  // A body with nested lists can be valid and still be nested too deeply.
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new HttpProblem(400, 'The request is nested too deeply.', { code: 'usage' })
  if (!(error instanceof CadreError)) return undefined
  return new HttpProblem(statuses[error.code] ?? 500, capitalised(sentenceOf(error)), { code: error.code })
}

export function problemBody({ status, message, code }: HttpProblem): Problem {
  return { type: 'about:blank', title: message, status, ...(code !== undefined && { code }) }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** On a page that was opened with --read-only. */
export const readOnlyText = 'This page is read-only. Run "cadre open" without --read-only.'
