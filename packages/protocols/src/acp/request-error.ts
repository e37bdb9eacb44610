import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { CadreError, type ErrorCode, messageOf } from '@cadre/core'

const codes: Partial<Record<ErrorCode, number>> = {
  usage: -32602,
  unknown_model: -32602,
  not_found: -32002,
  owned: -32600,
  cancelled: -32800,
}

/** An error in the protocol's format: what failed, why, and what to do. `warn` receives the details of unexpected errors. */
export function requestErrorOf(error: unknown, warn: (message: string) => void): RequestError {
  if (error instanceof RequestError) return error
  if (error instanceof CadreError)
    return new RequestError(codes[error.code] ?? -32603, capital(error.message), { code: error.code })
  warn(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return new RequestError(
    -32603,
    `The request failed: ${messageOf(error)}. Standard error of "cadre acp" has the details.`,
  )
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
