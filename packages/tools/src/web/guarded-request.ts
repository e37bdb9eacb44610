import { lookup as resolveName } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { exactHostOf } from '@cadre/core'
import { Refusal } from '../refusal.ts'
import { isPrivateAddress } from './private-address.ts'

/** Hosts on private networks that may be contacted anyway: `localhost`, `10.0.0.5`, `wiki.internal:8080`. */
export type AllowedHosts = readonly string[]

/**
 * Sends one request and returns its response, without following redirects. The address is checked when the connection is
 * made, so DNS rebinding has no effect.
 */
export async function guardedRequest(
  url: URL,
  allow: AllowedHosts,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const fault = faultInAddress(url)
  if (fault !== undefined) throw new Refusal(fault)
  const allowed = isAllowed(url, allow)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!allowed && isIP(host) !== 0 && isPrivateAddress(host)) throw refused(url)
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method: 'GET',
        // Uses its own connection, without any state from other requests.
        agent: false,
        signal,
        lookup: allowed ? undefined : publicLookup(url),
        headers: {
          'user-agent': 'cadre',
          accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1',
          'accept-encoding': 'gzip, deflate, br',
        },
      },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function faultInAddress(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `Only http and https addresses can be fetched, not ${url.protocol.replace(/:$/, '')}.`
  }
  if (url.username !== '' || url.password !== '')
    return 'The address contains a user name or a password. Remove it.'
  return undefined
}

function isAllowed(url: URL, allow: AllowedHosts): boolean {
  const host = exactHostOf(url.href)?.replace(/^\[|\]$/g, '')
  if (host === undefined) return false
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return allow.some((entry) => {
    const wanted = entry.toLowerCase()
    return wanted === host || wanted === `${host}:${port}` || wanted === `[${host}]:${port}`
  })
}

function publicLookup(url: URL): LookupFunction {
  return (name, options, callback) => {
    resolveName(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '')
      const [first] = addresses
      if (first === undefined || !areAllAddressesPublic(addresses)) return callback(refused(url), '')
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** One private address among public ones is suspicious, so all must be public. */
export function areAllAddressesPublic(addresses: readonly { readonly address: string }[]): boolean {
  return addresses.every(({ address }) => !isPrivateAddress(address))
}

function refused(url: URL): Refusal {
  return new Refusal(
    `${url.host} is on a private network, which agents may not reach. A person can allow it under web.allow in the configuration.`,
  )
}
