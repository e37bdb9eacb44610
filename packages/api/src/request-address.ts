import type { AnyRequest } from './request-of.ts'

/** A request's address, with path parameters and the query. Lists become repeated parameters. */
export function requestAddress(
  address: string,
  path: string,
  { params = {}, query = {} }: AnyRequest,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined || value === '') throw new TypeError(`the path parameter "${name}" is missing`)
    // Browsers and proxies resolve these two, even if they are encoded.
    if (value === '.' || value === '..') throw new TypeError(`"${value}" cannot be a path parameter`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value])
      if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return `${address.replace(/\/+$/, '')}${filled}${text === '' ? '' : `?${text}`}`
}
