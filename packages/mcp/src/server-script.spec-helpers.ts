/** Changes to the default server's behaviour, as JavaScript. `m` is the message, and `send` answers. */
export interface ScriptOptions {
  /** Runs before anything else. */
  readonly first?: string
  /** Runs for each message, before the usual answers. `return` ends the handling. */
  readonly each?: string
  /** The tools, as an expression. */
  readonly tools?: string
  /** The content of a call's result, as an expression. */
  readonly result?: string
}

/** The source of an MCP server of the revision 2025-11-25, without any library, so that it starts quickly and can be hostile. */
export function serverScript({
  first = '',
  each = '',
  tools = `[{ name: 'add', description: 'Adds numbers', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]`,
  result = `[{ type: 'text', text: String((m.params.arguments.a ?? 0) + (m.params.arguments.b ?? 0)) }]`,
}: ScriptOptions = {}): string {
  return `${first}
const send = (o) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...o }) + '\\n')
const handle = (m) => {
  ${each}
  if (m.method === 'initialize') return send({ id: m.id, result: { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'x', version: '1' } } })
  if (m.method === 'server/discover') return send({ id: m.id, error: { code: -32601, message: 'Method not found' } })
  if (m.method === 'tools/list') return send({ id: m.id, result: { tools: ${tools} } })
  if (m.method === 'tools/call') return send({ id: m.id, result: { content: ${result} } })
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => handle(JSON.parse(line)))
`
}
