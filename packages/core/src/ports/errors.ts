import type { QuestionId } from './engine.ts'

/** Every code a caller may branch on. The first five are the error kinds of delegation systems since the first one. */
export type ErrorCode =
  | 'configuration'
  | 'delegation'
  | 'tool_access'
  | 'agent_execution'
  | 'circular_delegation'
  | 'timeout'
  | 'cancelled'
  | 'approval_rejected'
  | 'budget_exceeded'
  | 'hook_denied'
  | 'policy'
  | 'in_doubt'
  | 'unknown_model'
  | 'tools_unsupported'
  | 'backend'
  | 'owned'
  | 'not_found'
  | 'corrupt'
  | 'usage'

/** A failure a person can act on: a full sentence that says what failed, where, and what to do. */
export class CadreError extends Error {
  override readonly name = 'CadreError'
  readonly code: ErrorCode
  /** `path:line` or another place a person can open. */
  readonly where: string | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; where?: string } = {}) {
    super(options.where === undefined ? message : `${options.where}: ${message}`, { cause: options.cause })
    this.code = code
    this.where = options.where
  }
}

/**
 * Thrown through the loop when a session must wait for a person and nothing can answer now. It is not a failure: the
 * journal holds the question, and resuming the session asks for the answer again.
 */
export class Suspended extends Error {
  override readonly name = 'Suspended'
  readonly questions: readonly QuestionId[]

  constructor(questions: readonly QuestionId[]) {
    super(`waiting for a person: ${questions.map(({ session, name }) => `${name} of ${session}`).join(', ')}`)
    this.questions = questions
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
