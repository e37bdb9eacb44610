import { messageOf, type ReplyFailure } from '@cadre/core'
import { backendFailure } from '../backend-failure.ts'
import { hideTokens } from '../hide-tokens.ts'
import type { RuntimeError } from './round-reader.ts'

/** Errors are shown and recorded, and may contain what was sent to a server. */
export function hideSecrets(text: string, secret: string | undefined): string {
  return hideTokens(hideSecret(text, secret))
}

/** For model text, which may contain anything but this secret. */
export function hideSecret(text: string, secret: string | undefined): string {
  return secret ? text.replaceAll(secret, '[hidden]') : text
}

/** Converts the runtime's error at the end of a turn. `signIn` explains what to check if access is denied. */
export function failureOf(error: RuntimeError, model: string, signIn: string): ReplyFailure {
  const { type, status, code } = error
  const why = firstLines(error.message)
  if (type === 'context_limit')
    return { ...backendFailure(`the request is too long for ${model}: ${why}`), tooLong: true }
  if (type === 'authentication' || type === 'authorization' || status === 401 || status === 403)
    return backendFailure(`access to ${model} was denied${status ? ` (HTTP ${status})` : ''}. ${signIn}`)
  if (code === 'model_not_found' || code === 'model_not_supported')
    return { kind: 'failed', code: 'unknown_model', message: `${model} does not exist: ${why}` }
  if (type === 'quota') return backendFailure(`your Copilot quota is used up: ${why}`)
  if (type === 'rate_limit' || status === 429)
    return backendFailure(`${model} is rate-limited, and retries did not help: ${why}`)
  return backendFailure(`${model} failed: ${why}`)
}

/** The failure for a rejected request to the runtime. */
export function rejectedRequestFailure(error: unknown, model: string): ReplyFailure {
  const text = firstLines(messageOf(error))
  return backendFailure(
    /tool name|tool definition|externalToolDefinitions/i.test(text)
      ? `the Copilot runtime rejected one of this session's tools: ${text}`
      : `the Copilot runtime could not send the request to ${model}: ${text}`,
  )
}

function firstLines(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 500)}…` : line || 'no reason was given'
}
