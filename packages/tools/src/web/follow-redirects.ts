import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'
import { type AllowedHosts, guardedRequest } from './guarded-request.ts'

export interface GuardedAddress {
  readonly url: string
  readonly allow: AllowedHosts
  readonly timeoutMs: number
}

const maxRedirects = 5

/**
 * Passes the response to `read`, whatever its status is. Follows redirects on the same host. Redirects to another host are only reported, so
 * that the agent calls the tool with that address and the gate judges it. The time limit includes `read`.
 */
export async function followRedirects<T>(
  { url: given, allow, timeoutMs }: GuardedAddress,
  read: (response: IncomingMessage, url: URL, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const limit = AbortSignal.timeout(timeoutMs)
  const either = AbortSignal.any([signal, limit])
  try {
    let url = addressOf(given)
    for (let redirects = 0; ; redirects++) {
      const response = await guardedRequest(url, allow, either)
      const status = response.statusCode ?? 0
      const { location } = response.headers
      if (status < 300 || status >= 400 || location === undefined) {
        try {
          return await read(response, url, either)
        } finally {
          response.destroy()
        }
      }
      response.destroy()
      if (redirects === maxRedirects) throw new Refusal(`${given} redirects more than ${maxRedirects} times.`)
      const next = addressOf(location, url)
      if (!isSameHost(url, next))
        throw new Refusal(
          `${url.href} redirects to another host, which Cadre did not fetch: ${next.href}. Call the tool with that address if you need it.`,
        )
      url = next
    }
  } catch (error) {
    if (signal.aborted) throw new Refusal('The request was cancelled.')
    if (limit.aborted) throw new Refusal(`${given} did not answer within ${timeoutMs / 1_000} seconds.`)
    throw error instanceof Refusal ? error : new Refusal(`Cannot fetch ${given}: ${(error as Error).message}`)
  }
}

/** Including the port; from http to https, the default ports. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.protocol === from.protocol) return to.host === from.host
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:'
  return isUpgrade && to.hostname === from.hostname && from.port === '' && to.port === ''
}

function addressOf(given: string, base?: URL): URL {
  try {
    return new URL(given, base)
  } catch {
    throw new Refusal(`${given.slice(0, 200)} is not a web address. It must begin with https://.`)
  }
}
