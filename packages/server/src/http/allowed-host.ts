/**
 * Whether a request names this server by a name of its own. A page of a stranger can have its name lead to this machine, and a
 * browser would then let it talk to us; the name it used gives it away.
 */
export function isAllowedHost(header: string | undefined, names: readonly string[]): boolean {
  const host = /^(\[[0-9a-fA-F:.]+\]|[^:]+)(?::\d{1,5})?$/.exec(header ?? '')?.[1]?.toLowerCase()
  if (host === undefined) return false
  // Nobody can have an address lead elsewhere.
  if (host.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host)) return true
  return host === 'localhost' || names.some((name) => name.toLowerCase() === host)
}
