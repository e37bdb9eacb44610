import { isObject, type JsonObject, parseJson } from '@cadre/core'
import { pause } from '@cadre/disk'

/** The result of a request. Only `unclear` means that Slack may have executed it. */
export type SlackReply =
  | { readonly kind: 'ok'; readonly body: JsonObject }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'limited'; readonly seconds: number }
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'unclear'; readonly message: string }

export interface SlackApi {
  /** Sends a single request. */
  call(method: string, fields: JsonObject): Promise<SlackReply>
  /** For repeatable requests: retries a few times while Slack is busy or unavailable. */
  ask(method: string, fields: JsonObject, signal: AbortSignal): Promise<SlackReply>
}

export interface SlackApiOptions {
  readonly baseUrl: string
  readonly token: string
  readonly timeoutMs?: number
  /** The first pause between retries; later ones are longer. */
  readonly pauseMs?: number
}

export const maxAttempts = 4
/** If Slack requires a longer wait, the request fails. */
const maxWait = 60
const maxBytes = 8 * 1_024 * 1_024
/** The request did not reach Slack. */
const neverArrived = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
/** Slack's error codes for an internal failure that may have had a partial effect. */
const unclearErrors = new Set(['fatal_error', 'internal_error', 'service_unavailable', 'request_timeout'])

export function createSlackApi(options: SlackApiOptions): SlackApi {
  const { baseUrl, token, timeoutMs = 15_000, pauseMs = 500 } = options
  const call = async (method: string, fields: JsonObject): Promise<SlackReply> => {
    try {
      const response = await fetch(`${baseUrl}${method}`, {
        method: 'POST',
        // Every method accepts a form, but only some accept JSON.
        body: formOf(fields),
        headers: { authorization: `Bearer ${token}` },
        // The token is only for this host.
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return await replyOf(response)
    } catch (error) {
      const code = codeOf(error)
      const message = `Cannot reach Slack (${code}).`
      return { kind: neverArrived.has(code) ? 'unreachable' : 'unclear', message }
    }
  }
  return {
    call,
    async ask(method, fields, signal) {
      for (let attempt = 1; ; attempt++) {
        const reply = await call(method, fields)
        const wait = retryDelay(reply, attempt, pauseMs)
        if (wait === undefined || attempt === maxAttempts || signal.aborted) return reply
        await pause(wait, signal)
        if (signal.aborted) return reply
      }
    },
  }
}

/** The pause before a retry; undefined if a retry is pointless. */
export function retryDelay(reply: SlackReply, attempt: number, pauseMs: number): number | undefined {
  if (reply.kind === 'ok' || reply.kind === 'refused') return undefined
  if (reply.kind === 'limited') return reply.seconds > maxWait ? undefined : reply.seconds * 1_000
  return pauseMs * 2 ** (attempt - 1)
}

/** A sentence for a person about a failed request. */
export function explainReply(reply: Exclude<SlackReply, { kind: 'ok' }>): string {
  if (reply.kind === 'refused') return `Slack rejected the request: ${reply.error}.${adviceFor(reply.error)}`
  if (reply.kind === 'limited') return `Slack rate limit reached. Try again in ${reply.seconds} seconds.`
  return reply.message
}

async function replyOf(response: Response): Promise<SlackReply> {
  if (response.status === 429) {
    await response.body?.cancel()
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    return { kind: 'limited', seconds: Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : 30 }
  }
  if (!response.ok) {
    await response.body?.cancel()
    const message = `Slack returned status ${response.status}.`
    return response.status >= 500
      ? { kind: 'unclear', message }
      : { kind: 'refused', error: `http_${response.status}` }
  }
  const parsed = parseJson(await boundedText(response))
  if (!parsed.ok || !isObject(parsed.value))
    return { kind: 'unclear', message: 'The response from Slack is not JSON.' }
  const body = parsed.value
  if (body['ok'] === true) return { kind: 'ok', body }
  const error = wordOf(body['error'])
  if (error === 'ratelimited') return { kind: 'limited', seconds: 30 }
  return unclearErrors.has(error)
    ? { kind: 'unclear', message: `Slack reports ${error}.` }
    : { kind: 'refused', error }
}

async function boundedText(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    if (length > maxBytes) return ''
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function formOf(fields: JsonObject): URLSearchParams {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  return form
}

/** Slack's errors are single words; anything else is not passed on. */
function wordOf(error: unknown): string {
  return typeof error === 'string' && /^[\w.-]{1,80}$/.test(error) ? error : 'unknown_error'
}

/** Never the error message itself, because it may contain the request. */
function codeOf(error: unknown): string {
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: { code?: unknown } }
  if (name === 'TimeoutError') return 'no answer in time'
  const word = cause?.code ?? code
  return typeof word === 'string' && /^[A-Z_0-9]{1,40}$/.test(word) ? word : 'the connection was lost'
}

function adviceFor(error: string): string {
  const advice = adviceByError[error]
  return advice === undefined ? '' : ` ${advice}`
}

const token = "Set the variable named by bot_token_env to an installed app's token."
const adviceByError: { readonly [error: string]: string | undefined } = {
  not_in_channel: 'Invite the app to the channel: /invite @app.',
  channel_not_found: 'Use the id of a channel that the app is in.',
  is_archived: 'The channel is archived. Use another one.',
  msg_too_long: 'Write a shorter message.',
  missing_scope: 'Give the app the scopes that docs/slack.md lists, and install it again.',
  not_authed: token,
  invalid_auth: token,
  account_inactive: token,
  token_revoked: token,
  token_expired: token,
  not_allowed_token_type:
    'The token for bot_token_env must begin with xoxb-, and the token for app_token_env with xapp-.',
}
