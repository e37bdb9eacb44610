import type { BackendContext } from '../backend.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './exchange.ts'

export async function openTransport(endpoint: Endpoint, { clock }: BackendContext): Promise<Transport> {
  // TLS is slow to load, and a server on this machine does not need it.
  const { request, Agent } = endpoint.isSecure ? await import('node:https') : await import('node:http')
  // The most recently used connection is the least likely to have been closed.
  const agent = new Agent({
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    scheduling: 'lifo',
    maxFreeSockets: 1024,
  })
  return { request, agent, clock }
}
