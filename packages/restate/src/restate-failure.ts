import { messageOf } from '@cadre/core'

/** Why a request did not reach the server, and what to do. `setting` is the one with the server's address. */
export function restateFailure(error: unknown, setting: 'engine.ingress' | 'engine.admin'): string {
  // `fetch` puts the reason into the cause.
  const { cause } = error as { cause?: unknown }
  const advice = certificateAdvice(error) ?? `Start it, or correct ${setting} in config.yaml.`
  return `${messageOf(cause ?? error)}. ${advice}`
}

/** What to do if this machine does not accept the server's certificate. */
export function certificateAdvice(error: unknown): string | undefined {
  const { cause } = error as { cause?: { code?: unknown } }
  const code = String(cause?.code ?? '')
  if (/UNABLE_TO_|SELF_SIGNED/.test(code))
    return 'If your own certificate authority signed its certificate, set NODE_EXTRA_CA_CERTS to the file of that authority.'
  return /CERT/.test(code) ? 'Replace its certificate, or use another address in config.yaml.' : undefined
}
