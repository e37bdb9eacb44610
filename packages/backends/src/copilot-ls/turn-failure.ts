import type { ReplyFailure } from '@cadre/core'
import { backendFailure } from '../backend-failure.ts'
import { hideTokens } from '../hide-tokens.ts'
import { cancelled } from '../retry-until-answered.ts'
import type { TurnSignal } from './next-turn-signal.ts'
import type { TurnReader } from './turn-reader.ts'
import type { TurnError } from './wire-types.ts'

/** How to handle a turn that ended with an error. */
export type TurnFailure =
  | { readonly kind: 'failed'; readonly failure: ReplyFailure }
  /** The text so far is the reply. */
  | { readonly kind: 'cut'; readonly stop: 'length' | 'filtered' }
  /** A new conversation may succeed. */
  | { readonly kind: 'again'; readonly failure: ReplyFailure }

export const signInHint = 'Run "cadre login" to sign in to GitHub Copilot.'

/** The server's error code for requests without a sign-in. */
const notSignedIn = 1000
const tooManyRounds = 10_000

/** Decides how to handle a turn that ended without a reply. */
export function failureFromSignal(
  sign: TurnSignal,
  end: TurnReader['end'],
  { id, name, idleTimeout }: { readonly id: string; readonly name: string; readonly idleTimeout: number },
): TurnFailure {
  switch (sign.kind) {
    case 'aborted':
    case 'stopped':
      return failed(cancelled)
    case 'looping':
      return failed(backendFailure(`${id} keeps calling tools that this agent does not have.`))
    case 'silent': {
      const message = `${id} did not respond for ${Math.round(idleTimeout / 1000)} seconds.`
      return retryWith({ kind: 'failed', code: 'timeout', message })
    }
    case 'gone':
      return retryWith(backendFailure(sign.message))
    case 'refused': {
      const failure = refusedRequestFailure(sign.code, sign.message, name)
      // The server lost the conversation: a new one works.
      return /does not exist/i.test(sign.message) ? retryWith(failure) : failed(failure)
    }
    case 'called':
      return failed(backendFailure(`${id} called a tool while summarising, where no tools are available.`))
    case 'over':
      return end?.error === undefined
        ? retryWith(backendFailure(`the Copilot language server cancelled the turn with ${id}.`))
        : failureFromTurn(end.error, name)
  }
}

export function failureFromTurn(error: TurnError, model: string): TurnFailure {
  const { code, message = 'the turn failed.' } = error
  const shown = hideTokens(message).trim()
  if (error.responseIsFiltered === true) return { kind: 'cut', stop: 'filtered' }
  if (code === 413 || /token limit exceeded/i.test(message))
    return failed({ ...backend(model, shown), tooLong: true })
  if (error.responseIsIncomplete === true && /response got too long/i.test(message))
    return { kind: 'cut', stop: 'length' }
  if (error.reason === 'model_not_supported' || /^No model configuration found/i.test(message))
    return failed({ ...backend(model, shown), code: 'unknown_model' })
  // The server renews a rejected token, but gives up the turn.
  if (code === 401) return retryWith(signedOut(shown))
  if (code === 402) return failed(backend(model, withAdvice(shown)))
  if (code === tooManyRounds) return retryWith(backend(model, shown))
  return failed(backend(model, shown))
}

/** The server refused a request. */
function refusedRequestFailure(code: number, message: string, model: string): ReplyFailure {
  return code === notSignedIn ? signedOut(message) : { ...backend(model, message), spent: 'nothing' }
}

/** True if the error means that a sign-in is needed. */
export function isSignInNeeded(code: number): boolean {
  return code === notSignedIn
}

function signedOut(reason: string): ReplyFailure {
  return {
    kind: 'failed',
    code: 'backend',
    message: `GitHub Copilot rejected the sign-in: ${sentence(reason)} ${signInHint}`,
    spent: 'nothing',
  }
}

function backend(model: string, reason: string): ReplyFailure {
  return backendFailure(`copilot-ls:${model} failed: ${sentence(reason)}`)
}

function retryWith(failure: ReplyFailure): TurnFailure {
  return { kind: 'again', failure }
}

function failed(failure: ReplyFailure): TurnFailure {
  return { kind: 'failed', failure }
}

/** The quota is used up. Request ids are removed, because they do not help. */
function withAdvice(reason: string): string {
  const why = sentence(reason.replace(/\s*(GitHub )?Request ID:.*$/is, ''))
  return `${why} Run "cadre models" to find models that cost no premium requests.`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
