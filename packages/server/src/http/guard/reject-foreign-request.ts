import type { IncomingHttpHeaders } from 'node:http'
import { HttpProblem } from '../problem.ts'
import type { OwnHosts } from './own-hosts.ts'

export interface IncomingFacts {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Rejects requests for other host names and from pages of other origins. This is the first check for every request, including requests for
 * files. The rule lists what is allowed, and is the same for all methods.
 */
export function rejectForeignRequest({ method, path, headers }: IncomingFacts, hosts: OwnHosts): void {
  if (!hosts.has(headers.host))
    throw new HttpProblem(
      403,
      'This server does not accept requests for this host name and port. Use the address that "cadre open" prints, or add the name to daemon.hosts in config.yaml.',
    )
  const { origin } = headers
  const site = headers['sec-fetch-site'] ?? 'none'
  const isOwn = origin === undefined || hosts.hasOrigin(origin)
  // A link on another page may show the page, but may not use the API.
  const isNavigation =
    method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !path.startsWith('/api/')
  if (!isOwn || !(site === 'same-origin' || site === 'none' || isNavigation))
    throw new HttpProblem(403, 'Pages from other origins may not use this server.')
}
