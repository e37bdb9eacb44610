import type { Readable, Writable } from 'node:stream'
import { createMcpServer } from './create-mcp-server.ts'
import { type McpHostOptions, openMcpHost } from './mcp-host.ts'

export interface StdioOptions extends McpHostOptions {
  readonly input: Readable
  readonly output: Writable
}

/** A longer message ends the connection. */
const maxMessageBytes = 4 << 20

/**
 * Serves MCP on two streams until the client closes its end, or `signal` aborts. Delegated runs continue in both cases. Standard output
 * contains only protocol messages.
 */
export async function serveMcpStdio(options: StdioOptions, signal: AbortSignal): Promise<void> {
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  const host = openMcpHost(options)
  const transport = new StdioServerTransport(options.input, options.output, {
    maxBufferSize: maxMessageBytes,
  })
  const isClosed = new Promise<void>((resolve) => {
    options.input.once('end', resolve)
    options.input.once('close', resolve)
    // The host has ended without closing the connection.
    options.output.once('error', () => resolve())
    options.output.once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (signal.aborted) resolve()
  })
  const serving = serveStdio(() => createMcpServer(host), {
    transport,
    onerror: (error) => options.environment.warn(error.message),
  })
  try {
    await isClosed
  } finally {
    await serving.close()
    await host.close()
  }
}
