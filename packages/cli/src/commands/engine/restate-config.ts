import path from 'node:path'

export interface RestateConfigOptions {
  readonly folder: string
  /** The key with which the server signs its requests to workers. Without it, they are not signed. */
  readonly identityFile?: string
  readonly ingressPort: number
  readonly adminPort: number
  readonly nodePort: number
}

/** The configuration of a Restate server for one machine. It listens on loopback only and retries without a limit. */
export function restateConfig(options: RestateConfigOptions): string {
  const { folder, identityFile, ingressPort, adminPort, nodePort } = options
  const signing =
    identityFile === undefined
      ? ''
      : `[worker.invoker]\nrequest-identity-private-key-pem-file = ${JSON.stringify(identityFile)}\n`
  return `# Written by "cadre engine start" at each start.
base-dir = ${JSON.stringify(path.join(folder, 'data'))}
node-name = "cadre"
listen-mode = "tcp"
bind-ip = "127.0.0.1"
bind-port = ${nodePort}
advertised-host = "127.0.0.1"
disable-telemetry = true
log-filter = "warn"
log-disable-ansi-codes = true
[default-retry-policy]
initial-interval = "50ms"
max-interval = "1s"
max-attempts = "unlimited"
[ingress]
bind-ip = "127.0.0.1"
bind-port = ${ingressPort}
[admin]
bind-ip = "127.0.0.1"
bind-port = ${adminPort}
${signing}`
}
