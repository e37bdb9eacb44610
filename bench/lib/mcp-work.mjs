import fs from 'node:fs'
import path from 'node:path'

/** The work of every program in the suite `mcp`, so that the same is compared. */
export const tool = 'add'

const script = `const send = (o) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...o }) + '\\n')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line)
  if (m.method === 'initialize') return send({ id: m.id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } } })
  if (m.method === 'tools/list') return send({ id: m.id, result: { tools: [{ name: 'add', description: 'Adds', inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } } }] } })
  if (m.method === 'tools/call') return send({ id: m.id, result: { content: [{ type: 'text', text: String(m.params.arguments.a + m.params.arguments.b) }] } })
  if (m.id !== undefined) send({ id: m.id, error: { code: -32601, message: 'Method not found' } })
})
`

/** Writes a server with one trivial tool, without any library. Returns its file. */
export function writeServer(folder) {
  const file = path.join(folder, 'server.cjs')
  fs.writeFileSync(file, script)
  return file
}
