import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { cpuOf, wallOf } from '../lib/gate-work.mjs'
import { tool, writeServer } from '../lib/mcp-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

// The official library with its own transport, and nothing around it.
const { tmp } = readWorkload()
const client = new Client({ name: 'bench', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command: process.execPath, args: [writeServer(tmp)] }))
await client.listTools()
let last
const call = async (a) => {
  last = await client.callTool({ name: tool, arguments: { a, b: 1 } }, { onprogress: () => {} })
}
const callUs = await cpuOf(call, 3_000)
const callMs = await wallOf(call, 500)
await client.close()
print(last?.content?.[0]?.text === '500' ? { callUs, callMs } : { error: 'the tool gave a wrong result' })
