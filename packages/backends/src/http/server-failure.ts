import type { ReplyFailure, Spent } from '@cadre/core'
import { backendFailure } from '../backend-failure.ts'
import { retryAfter } from './backoff.ts'
import type { Endpoint } from './endpoint.ts'
import type { ExchangeResult } from './exchange.ts'
import { connectionProblem, likelyCause, type Problem } from './likely-cause.ts'
import { isWebPage, webPageName } from './web-page.ts'

/** Why an attempt failed, and whether another might succeed. */
export interface ServerFailure {
  readonly kind: 'trouble'
  readonly failure: ReplyFailure
  /** The maximum number of attempts. */
  readonly tries: number
  /** How long the server asks to wait, in milliseconds. */
  readonly after?: number
  readonly isKeyRefused?: boolean
  /** The usage of the request; absent if unknown. */
  readonly spent?: Spent
}

export interface ServerFailureContext {
  readonly endpoint: Endpoint
  readonly model: string
  /** True if tools were offered. */
  readonly offersTools: boolean
  readonly key: string | undefined
  readonly now: number
  /** The configured number of attempts. */
  readonly tries: number
  readonly idleTimeout: number
}

/** A longer wait is a person's decision. */
const maxWait = 120_000

/** A server that rejects a request has done no work; one that fails may have. */
export function statusFailure(
  ended: Extract<ExchangeResult, { kind: 'status' }>,
  context: ServerFailureContext,
): ServerFailure {
  const trouble = problemOf(ended, context)
  return ended.status < 500 ? { ...trouble, spent: 'nothing' } : trouble
}

function problemOf(
  ended: Extract<ExchangeResult, { kind: 'status' }>,
  context: ServerFailureContext,
): ServerFailure {
  const { status, headers, text } = ended
  const { endpoint, key } = context
  // Hidden before and after parsing, so that no part of a key remains in any encoding.
  const { message, code } = readError(endpoint.hide(text, key), headers['content-type'])
  const said = endpoint.hide(message, key)
  const about = `${status}${said === '' ? '' : `: ${short(said)}`}`
  const shown = `the model server ${endpoint.shown}`
  const raw = `${code} ${message}`

  if (status === 401 || status === 403) {
    const what = key === undefined ? 'requires a key' : 'rejected the key'
    const failure = {
      ...backendFailure(`${shown} ${what} (${about}). ${endpoint.key.advice}`),
      ...(status === 401 && { rejectsKey: true }),
    }
    return { ...permanent(failure), isKeyRefused: status === 401 && key !== undefined }
  }
  if (context.offersTools && isWithoutTools(status, raw))
    return permanent({
      kind: 'failed',
      code: 'tools_unsupported',
      message: `model ${JSON.stringify(context.model)} on ${endpoint.shown} does not support tools (${about}).`,
    })
  if (isTooLong(status, raw))
    return permanent({
      ...backendFailure(`${shown} rejected the request as too long (${about}).`),
      tooLong: true,
    })
  if (status === 404) return permanent(notFound(raw, about, shown, context))
  if (status >= 300 && status < 400)
    return permanent(
      backendFailure(
        `${shown} responded with a redirect (${about}). ${likelyCause('redirect', endpoint.kind)}`,
      ),
    )
  const failure = backendFailure(sentence(`${shown} answered ${about}`))
  if (!isTransient(status) || /insufficient_quota|billing/.test(code)) return permanent(failure)
  const after = retryAfter(headers, context.now)
  if (after === undefined) return { kind: 'trouble', failure, tries: context.tries }
  if (after <= maxWait) return { kind: 'trouble', failure, tries: context.tries, after }
  return permanent(
    backendFailure(
      `${shown} asked to retry after ${Math.ceil(after / 1000)} seconds (${about}), which is too long to wait.`,
    ),
  )
}

/** The equivalent HTTP status for the type or code of an error in a stream. */
const statusByType: { readonly [type: string]: number } = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  context_length_exceeded: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  overloaded_error: 529,
}

/** For an error inside a stream: uses its status, or counts as a server failure. */
export function reportedFailure(error: unknown, context: ServerFailureContext): ServerFailure {
  const { code, status, type } = (typeof error === 'object' && error !== null ? error : {}) as {
    code?: unknown
    status?: unknown
    type?: unknown
  }
  const named = [code, type].map((name) =>
    typeof name === 'string' && Object.hasOwn(statusByType, name) ? statusByType[name] : undefined,
  )
  const number = [status, code, ...named].map(Number).find((value) => value >= 400 && value < 600) ?? 500
  return problemOf({ kind: 'status', status: number, headers: {}, text: JSON.stringify({ error }) }, context)
}

export function invalidReplyFailure(reason: string, context: ServerFailureContext): ServerFailure {
  const said = short(context.endpoint.hide(reason, context.key))
  return {
    kind: 'trouble',
    failure: backendFailure(`${context.endpoint.shown} sent an invalid reply: ${said}.`),
    tries: Math.min(3, context.tries),
  }
}

/** A successful response that is a web page: the address is wrong, and a retry does not help. */
export function webPageFailure(text: string, { endpoint, key }: ServerFailureContext): ServerFailure {
  const page = short(endpoint.hide(webPageName(text), key))
  const cause = likelyCause('web-page', endpoint.kind)
  const failure = backendFailure(`the model server ${endpoint.shown} responded with ${page}. ${cause}`)
  return { ...permanent(failure), spent: 'nothing' }
}

export function emptyReplyFailure(context: ServerFailureContext): ServerFailure {
  const { endpoint, tries } = context
  const cause = likelyCause('empty', endpoint.kind)
  const failure = backendFailure(`${endpoint.shown} sent an empty reply. ${cause}`)
  return { kind: 'trouble', failure, tries: Math.min(3, tries) }
}

export function silentServerFailure(context: ServerFailureContext): ServerFailure {
  const seconds = Math.round(context.idleTimeout / 1000)
  const message = `the model server ${context.endpoint.shown} sent nothing for ${seconds} seconds. ${likelyCause('silent', context.endpoint.kind)}`
  return {
    kind: 'trouble',
    failure: { kind: 'failed', code: 'timeout', message },
    tries: Math.min(2, context.tries),
  }
}

export function connectionFailure(code: string, context: ServerFailureContext): ServerFailure {
  const shown = `the model server ${context.endpoint.shown}`
  const problem = connectionProblem(code)
  const [tries, what] = (problem && connectionErrors[problem]) ?? [
    Number.POSITIVE_INFINITY,
    'the connection to SERVER failed',
  ]
  const advice = problem === undefined ? '' : ` ${likelyCause(problem, context.endpoint.kind)}`
  const message = `${what.replace('SERVER', shown)} (${code}).${advice}`
  const trouble = {
    kind: 'trouble',
    failure: backendFailure(message),
    tries: Math.min(tries, context.tries),
  } as const
  return neverSent.test(code) ? { ...trouble, spent: 'nothing' } : trouble
}

/** There was no connection, so the request did not arrive. */
const neverSent = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$|CERT|UNABLE_TO/

/** The number of attempts, and what happened. Other errors may be temporary, and are retried as configured. */
const connectionErrors: { readonly [problem in Problem]?: readonly [tries: number, what: string] } = {
  'connection-refused': [3, 'cannot connect to SERVER'],
  'unknown-host': [1, 'cannot find the host of SERVER'],
  'host-lookup': [3, 'cannot look up the host of SERVER'],
  'wrong-protocol': [1, 'SERVER does not use the protocol in its address'],
  certificate: [1, 'the certificate of SERVER is not trusted'],
}

/** Without a limit on the reply, its cost is unbounded. */
export function unlimitedReplyFailure(text: string, { endpoint, key }: ServerFailureContext): ServerFailure {
  const said = short(endpoint.hide(readError(text, undefined).message, key))
  const failure = backendFailure(
    `the model server ${endpoint.shown} does not accept a limit on the length of replies (${said}), so Cadre cannot enforce a token or money budget. Use another server or model, or remove the budget.`,
  )
  return { ...permanent(failure), spent: 'nothing' }
}

function notFound(
  raw: string,
  about: string,
  shown: string,
  { model, endpoint }: ServerFailureContext,
): ReplyFailure {
  if (/model|deployment/i.test(raw))
    return {
      kind: 'failed',
      code: 'unknown_model',
      message: `${shown} has no model ${JSON.stringify(model)} (${about}).`,
    }
  return backendFailure(`${shown} answered ${about}. ${likelyCause('not-found', endpoint.kind)}`)
}

function isTransient(status: number): boolean {
  return [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501 && status !== 505)
}

const tooLong =
  /context_length_exceeded|maximum context length|context (length|window|size|limit)|prompt is too long|input is too long|too many (input )?tokens|request too large|reduce the length/i

function isTooLong(status: number, raw: string): boolean {
  return status === 413 || ([400, 422, 429, 500].includes(status) && tooLong.test(raw))
}

const aboutTools = /\btools?\b|tool[ _-]?(?:use|call|choice)|function[ _-]?call|\bfunctions\b/i
const refusalWords =
  /\b(?:not|no|cannot|doesn't|isn't)\b.{0,60}\b(?:support|enable|allow|available|permit)|unsupported|unrecognized|unknown (?:field|parameter|argument)|requires? --/i

/** Error messages of Ollama, vLLM, llama.cpp, OpenRouter and others. An error about the schema of one tool is different. */
function isWithoutTools(status: number, raw: string): boolean {
  if (![400, 404, 422, 500, 501].includes(status) || /schema/i.test(raw)) return false
  return aboutTools.test(raw) && refusalWords.test(raw)
}

/** Extracts the server's error message from the usual fields. */
function readError(text: string, type: string | undefined): { message: string; code: string } {
  if (isWebPage(text, type)) return { message: webPageName(text), code: '' }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { message: text, code: '' }
  }
  const outer = (typeof value === 'object' && value !== null ? value : { message: value }) as Record<
    string,
    unknown
  >
  const inner = outer['error'] ?? outer
  if (typeof inner === 'string') return { message: inner, code: '' }
  const { message, code, type: kind, detail } = inner as Record<string, unknown>
  const words = message ?? detail
  return {
    message:
      typeof words === 'string'
        ? words
        : words === undefined || words === null
          ? text
          : JSON.stringify(words),
    code: [code, kind].filter((part) => typeof part === 'string').join(' '),
  }
}

/** One short line of printable characters. */
function short(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal.
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line.replace(/\.$/, '')
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function permanent(failure: ReplyFailure): ServerFailure {
  return { kind: 'trouble', failure, tries: 1 }
}
