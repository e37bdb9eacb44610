import type { AcpOptions } from './acp/run-agent.ts'

/** Serves one editor over the Agent Client Protocol. Loads the packages of the protocol only now. */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { runAgent } = await import('./acp/run-agent.ts')
  return runAgent(options)
}
