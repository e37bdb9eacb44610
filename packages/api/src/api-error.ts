import type { Problem } from './answers.ts'

/** The server rejected a request, or returned an error. The message is a sentence for a person. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly problem: Problem
  /** With status 412: the current ETag. Reload the resource before you change it. */
  readonly etag: string | undefined

  constructor(problem: Problem, etag?: string) {
    super(problem.detail === undefined ? problem.title : `${problem.title} ${problem.detail}`)
    this.status = problem.status
    this.problem = problem
    this.etag = etag
  }

  /** The `CadreError`'s code, if the server sent one. */
  get code(): string | undefined {
    return this.problem.code
  }
}

/** Reads the problem in an error response. Ignores other text, such as a proxy's error page. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const etag = response.headers.get('etag')?.replaceAll('"', '')
  return new ApiError(await problemOf(response), etag)
}

async function problemOf(response: Response): Promise<Problem> {
  const { status } = response
  const unknown = { type: 'about:blank', title: `The server returned status ${status}.`, status }
  if (response.headers.get('content-type')?.startsWith('application/problem+json') !== true) return unknown
  try {
    const body: unknown = await response.json()
    return isProblem(body) ? { ...body, status } : unknown
  } catch {
    return unknown
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'title' in value && typeof value.title === 'string'
}
