import type { Answer, Question } from '@cadre/core'
import type { FolderTrust, RulePlan } from '@cadre/gate'
import type { Elicitation, ElicitationAnswer } from '@cadre/mcp'

/** Asks a person. Resolves with nothing if the person decides later: the run is then suspended until there is an answer. */
export type AskPerson = (
  session: string,
  question: Question,
  signal: AbortSignal,
  /** The allowlist rule that would approve such calls from now on. */
  planRule?: (grants: readonly string[]) => RulePlan,
) => Promise<Answer | undefined>

/**
 * Asks a person the question of an MCP server, during a call of one of its tools. All texts are data of the server. An address must be shown
 * whole, and opened only if the person agrees.
 */
export type ElicitFromPerson = (
  asked: Elicitation & { readonly server: string },
  signal: AbortSignal,
) => Promise<ElicitationAnswer>

/** `later`: the person gave no answer, and nothing is recorded. */
export type TrustAnswer = 'yes' | 'no' | 'later'

export type ConfirmTrust = (folder: FolderTrust) => Promise<TrustAnswer>
