export type { AcpFlags } from './acp/acp-session.ts'
export type { AcpOptions } from './acp/run-agent.ts'
export { serveAcp } from './serve-acp.ts'
