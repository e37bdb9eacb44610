import type { QuestionId } from './engine.ts'

/** The codes of `CadreError`. Callers may branch on them. */
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

/** An error that a person can act on. The message says what failed, where, and what to do. */
export class CadreError extends Error {
  override readonly name = 'CadreError'
  readonly code: ErrorCode
  /** The place of the error, such as `path:line`. The message starts with it. */
  readonly where: string | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; where?: string } = {}) {
    super(options.where === undefined ? message : `${options.where}: ${message}`, { cause: options.cause })
    this.code = code
    this.where = options.where
  }
}

/**
 * Thrown when a session must wait for a person and nobody can answer now. This is not a failure: the journal contains the question,
 * and the session asks it again when it is resumed.
 */
export class Suspended extends Error {
  override readonly name = 'Suspended'
  readonly questions: readonly QuestionId[]

  constructor(questions: readonly QuestionId[]) {
    super(`waiting for a person: ${questions.map(({ session, name }) => `${name} of ${session}`).join(', ')}`)
    this.questions = questions
  }
}

/** The message of an error, or the thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The message of an error as a complete sentence: adds a full stop if it has none. */
export function sentenceOf(error: unknown): string {
  const message = messageOf(error).trimEnd()
  return /[.?!…]$/.test(message) ? message : `${message}.`
}
