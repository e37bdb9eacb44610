import type { ServerKind } from './server-kind.ts'

/** Possible problems between Cadre and a model server. */
export type Problem =
  | 'web-page'
  | 'not-found'
  | 'redirect'
  | 'no-key'
  | 'key-rejected'
  | 'connection-refused'
  | 'unknown-host'
  | 'host-lookup'
  | 'unreachable'
  | 'wrong-protocol'
  | 'certificate'
  | 'silent'
  | 'empty'
  | 'not-json'

/** Returns the likely cause and what to do, in full sentences. The only table of such advice. */
export function likelyCause(problem: Problem, kind: ServerKind): string {
  const { section, urlVariable, keyVariable, exampleAddress } = kind
  const checkUrl = `Check ${urlVariable}, or ${section}.baseUrl in config.yaml.`
  const causes: { readonly [name in Problem]: string } = {
    'web-page': `This is probably not the API's address: ${exampleAddress}. ${checkUrl}`,
    'not-found': `${exampleAddress}. ${checkUrl}`,
    redirect: `Set ${urlVariable} to the server's new address.`,
    'no-key': `Set ${keyVariable}, or ${section}.keyCommand in config.yaml. "cadre setup" stores a key for you.`,
    'key-rejected': `Check ${keyVariable}.`,
    'connection-refused': `Is the server running? ${checkUrl}`,
    'unknown-host': checkUrl,
    'host-lookup': 'Check the network connection.',
    unreachable: 'Check the network connection.',
    'wrong-protocol': checkUrl,
    certificate: "Set NODE_EXTRA_CA_CERTS to a file with the server's CA certificate.",
    silent: `The server may be busy, loading a model, or behind a proxy. ${checkUrl}`,
    empty: `Something other than a model server may be answering there. ${checkUrl}`,
    'not-json': `Something other than a model server may be answering there: ${exampleAddress}. ${checkUrl}`,
  }
  return causes[problem]
}

/** Returns the problem for the error code of a broken connection; `undefined` for a temporary one. */
export function connectionProblem(code: string): Problem | undefined {
  if (code === 'ECONNREFUSED') return 'connection-refused'
  if (code === 'ENOTFOUND') return 'unknown-host'
  if (code === 'EAI_AGAIN') return 'host-lookup'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'unreachable'
  if (code.startsWith('HPE_') || code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'wrong-protocol'
  return /CERT|TLS|SIGNATURE|UNABLE_TO/.test(code) ? 'certificate' : undefined
}
