/**
 * Returns the host that an address contacts, in the form for comparing it with restrictions: lower case, Punycode, no final dot, and IPv4
 * in decimal, including when it is embedded in IPv6. Undefined if the address names no host: `evil.example:443` is a URL without one.
 */
export function hostOf(address: string): string | undefined {
  const url = parseUrl(address)
  return url === undefined || url.protocol === 'file:' ? undefined : normalHost(url.hostname)
}

/** The same, only if the URL contains no other spelling of the host and no user: required for a permission. */
export function exactHostOf(address: string): string | undefined {
  const url = parseUrl(address)
  if (url === undefined || url.username !== '' || url.password !== '') return undefined
  return hostOf(address) === url.hostname ? url.hostname : undefined
}

/** `host` may contain `*`. Undefined if no URL can contain it. */
export function normalHost(host: string): string | undefined {
  // As a host of http, because the parser keeps other protocols' hosts as written.
  const parsed = parseUrl(`http://${host}`)?.hostname.replace(/\.+$/, '') ?? ''
  return parsed === '' ? undefined : (ipv4Inside(parsed) ?? parsed)
}

export function parseUrl(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

/** Returns the IPv4 address in `[::ffff:7f00:1]`. */
function ipv4Inside(host: string): string | undefined {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? []
  if (high === undefined || low === undefined) return undefined
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.')
}
