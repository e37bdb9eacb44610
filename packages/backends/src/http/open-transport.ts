import type { BackendContext } from '../backend.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './exchange.ts'

export async function openTransport(endpoint: Endpoint, { clock }: BackendContext): Promise<Transport> {
  // TLS is the slower half to load, and a server on this machine does without.
  const { request, Agent } = endpoint.isSecure ? await import('node:https') : await import('node:http')
  // The connection used last is the one least likely to have been closed meanwhile.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    scheduling: 'lifo',
    maxFreeSockets: 1024,
  })
  return { request, agent, clock }
}
