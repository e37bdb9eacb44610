import { isLoopbackHost } from '@cadre/backends'

/** Parses an address that a person typed, possibly without a scheme. Undefined if it is not a valid server address. */
export function serverAddress(typed: string): string | undefined {
  const text = typed.trim().replace(/\/+$/, '')
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  const url = parseUrl(hasScheme ? text : `https://${text}`)
  if (url === undefined || !/^https?:$/.test(url.protocol) || /\s/.test(text)) return undefined
  return hasScheme ? text : `${isLoopbackHost(url.hostname) ? 'http' : 'https'}://${text}`
}

/** The usual address of a server's API, for an address without a path. */
export function defaultApiAddress(address: string): string | undefined {
  const { pathname, search, hash } = new URL(address)
  return pathname === '/' && search === '' && hash === '' ? `${address}/v1` : undefined
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
