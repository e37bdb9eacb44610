import path from 'node:path'
import { openApprovedTools, openServers } from '@cadre/mcp'
import { cpuOf, wallOf } from '../lib/gate-work.mjs'
import { tool, writeServer } from '../lib/mcp-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

// The tool as a session calls it: validated arguments, the approved definition, limits, the result for a model.
const { tmp } = readWorkload()
const reach = { kind: 'program', command: process.execPath, args: [writeServer(tmp)], env: {} }
const server = {
  ...{ name: 'bench', scope: 'user', file: 'config.yaml', syntax: 'cadre', reach },
  ...{ tools: ['*'], effects: {}, inputs: {} },
}
const opened = await openServers({
  servers: [server],
  approvedTools: openApprovedTools(path.join(tmp, 'pins')),
  secrets: { read: async () => undefined, write: async () => '', remove: async () => {} },
  values: { env: process.env, workspace: tmp, userHome: tmp },
  starts: true,
  tell: () => {},
})
const found = opened.tools.find((one) => one.server.tool === tool)
const { signal } = new AbortController()
const context = { session: 's', agent: 'a', call: 'c', key: 'k', workspace: tmp }
let last
const call = async (a) => {
  const { value } = found.input['~standard'].validate({ a, b: 1 })
  last = await found.run(value, context, signal)
}
const callUs = await cpuOf(call, 3_000)
const callMs = await wallOf(call, 500)
await opened.close()
print(last?.content === '500' ? { callUs, callMs } : { error: 'the tool gave a wrong result' })
