export type { AcpOptions } from './acp/run-agent.ts'
export type { AcpFlags } from './acp/session-runtime.ts'
export { serveAcp } from './serve-acp.ts'
