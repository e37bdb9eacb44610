import { matchesAnything, matchesWildcard } from '../vocabulary/wildcard.ts'
import { exactHostOf, hostOf, normalHost, parseUrl } from './host-of.ts'

/**
 * All rules about hosts are compared here. A restriction covers its host and all hosts below it, in every spelling. It also covers an
 * address without a host, which could mean any host. A pattern that cannot be read covers every address.
 */
export function restrictionCoversHost(pattern: string, address: string): boolean {
  const wanted = readHostPattern(pattern)
  const host = hostOf(address)
  if (wanted === undefined || host === undefined) return true
  const top = wanted.replace(/^(?:\*?\.)+(?=.)/, '')
  return matchesWildcard(top, host) || matchesWildcard(`*.${top}`, host)
}

/** A permission covers only exactly the host that it names, in the normal form. */
export function permissionCoversHost(pattern: string, address: string): boolean {
  const host = exactHostOf(address)
  return host !== undefined && matchesWildcard(pattern.trim().toLowerCase(), host)
}

/** Returns the host in a pattern, in the same form as `hostOf`: `evil.test` for `https://EVIL.test.:443/`. Undefined if it contains none. */
export function readHostPattern(pattern: string): string | undefined {
  const authority = pattern
    .trim()
    .replace(/^[a-z*][a-z\d+.*-]*:\/\//i, '')
    .replace(/[/\\#].*$/s, '')
    .replace(/^.*@/s, '')
  // Wildcards in a label that becomes Punycode would stand for other letters.
  const isAscii = /^[ -~]*$/.test(authority)
  if (!isAscii && authority.split('.').some((label) => /[*?]/.test(label) && !/^[ -~]*$/.test(label)))
    return undefined
  const isBareIpv6 = /^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i.test(authority)
  const host = isBareIpv6 ? `[${authority}]` : authority.replace(/:[\d*]*$/, '')
  // `?` would begin the query of a URL.
  const normal = normalHost(host.replaceAll('?', '!'))?.replaceAll('!', '?')
  return normal !== undefined && /^(?:[\w.*?-]+|\[[\da-f:.]+\])$/.test(normal) ? normal : undefined
}

/**
 * Like `restrictionCoversHost`, for a pattern of an agent file: `domain:evil.test`, or text with wildcards such as `https://evil.test/*`. Text
 * that cannot begin a URL, such as `evil.test/*`, is read as a host: otherwise it would restrict nothing.
 */
export function restrictionCoversAddress(pattern: string, address: string): boolean {
  const domain = domainOf(pattern)
  if (domain !== undefined) return restrictionCoversHost(domain, address)
  const host = hostOf(address)
  if (host === undefined) return true
  const isBareHost = !/^\s*\*|:\/\//.test(pattern)
  if (isBareHost && restrictionCoversHost(pattern, address)) return true
  const { protocol, port, pathname, search, hash, href } = new URL(address)
  const plain = `${protocol}//${host}${port === '' ? '' : `:${port}`}${pathname}${search}${hash}`
  const patterns = [pattern, ...plainPatterns(pattern)].map((text) => text.toLowerCase())
  return [address.trim(), href, plain].some((text) =>
    patterns.some((wanted) => matchesWildcard(wanted, text.toLowerCase())),
  )
}

/** Like `permissionCoversHost`, for a pattern of an agent file. */
export function permissionCoversAddress(pattern: string, address: string): boolean {
  const domain = domainOf(pattern)
  if (domain !== undefined) return permissionCoversHost(domain, address)
  if (matchesAnything(pattern)) return true
  return exactHostOf(address) !== undefined && matchesWildcard(pattern, parseUrl(address)?.href ?? '')
}

/** As in rules of Claude Code. */
function domainOf(pattern: string): string | undefined {
  return /^\s*domain:(.*)$/is.exec(pattern)?.[1]
}

const defaultPorts: { readonly [protocol: string]: string } = {
  http: '80',
  https: '443',
  ws: '80',
  wss: '443',
  ftp: '21',
}

/** The pattern of a URL with its host in the normal form. If the host cannot be read, any host. */
function plainPatterns(pattern: string): readonly string[] {
  const found = /^\s*([a-z*][a-z\d+.*-]*):\/\/([^/\\#]*)(.*)$/is.exec(pattern)
  if (found === null) return []
  const [, protocol = '', authority = '', rest = ''] = found
  const port = /:(\d+)$/.exec(authority)?.[1]
  const isDefault = protocol.includes('*') || defaultPorts[protocol.toLowerCase()] === port
  const written = port === undefined || isDefault ? '' : `:${Number(port)}`
  return [`${protocol}://${readHostPattern(authority) ?? '*'}${written}${rest === '' ? '/' : rest}`]
}
