import type { HttpOptions, McpHttpServer } from './serve-mcp-http.ts'
import type { StdioOptions } from './serve-mcp-stdio.ts'

/** Loads the protocol on first use, because it takes longer to load than Cadre. */
export async function serveMcpStdio(options: StdioOptions, signal: AbortSignal): Promise<void> {
  return (await import('./serve-mcp-stdio.ts')).serveMcpStdio(options, signal)
}

export async function serveMcpHttp(options: HttpOptions): Promise<McpHttpServer> {
  return (await import('./serve-mcp-http.ts')).serveMcpHttp(options)
}
