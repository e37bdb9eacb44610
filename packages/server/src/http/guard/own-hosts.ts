/**
 * The host names that this server accepts, each with its port. A page from another host cannot reach it by DNS rebinding, because its
 * requests contain the other host name. This check cannot be disabled.
 */
export interface OwnHosts {
  /** Whether a `Host` header names this server. */
  has(host: string | undefined): boolean
  /** Whether a `Host` header names this machine. Logins created by `cadre open` work only there; under other names, a person needs a token. */
  isLocal(host: string | undefined): boolean
  /** Whether browsers reach this host name through TLS, as for a proxy or tunnel. */
  isSecure(host: string | undefined): boolean
  /** Whether an `Origin` header names this server. */
  hasOrigin(origin: string): boolean
}

export interface OwnHostsOptions {
  readonly port: number
  /** The configured address, if it is not a loopback address. */
  readonly host?: string | undefined
  /** `daemon.hosts`: host names of a proxy or tunnel. A name without a port means the default port. */
  readonly hosts?: readonly string[] | undefined
}

/** Addresses that stand for all interfaces. They cannot be used as host names. */
const anyAddress = new Set(['0.0.0.0', '::', '[::]'])

export function ownHosts({ port, host, hosts = [] }: OwnHostsOptions): OwnHosts {
  const local = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  const named = [...(host === undefined || anyAddress.has(host) ? [] : [`${bracketed(host)}:${port}`])]
  const behind = hosts.map((name) => name.toLowerCase()).filter((name) => !anyAddress.has(name))
  const names = new Set([...local, ...named.map((name) => name.toLowerCase()), ...behind])
  const origins = new Set([
    ...local.map((name) => `http://${name}`),
    ...named.map((name) => `http://${name.toLowerCase()}`),
    // Browsers reach all other names through TLS.
    ...behind.map((name) => `https://${name}`),
  ])
  return {
    isLocal: (name) => name !== undefined && local.includes(name.toLowerCase()),
    isSecure: (name) => name !== undefined && behind.includes(name.toLowerCase()),
    has: (name) => name !== undefined && names.has(name.toLowerCase()),
    hasOrigin: (origin) => origins.has(origin.toLowerCase()),
  }
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}
