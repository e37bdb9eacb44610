// A minimal client of the language server: starts it, registers one tool, and holds conversations.
import { spawn } from 'node:child_process'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'
import { findServer } from '../../packages/backends/dist/copilot-ls/find-server.js'
import { measureConversations, probe, serverEnv, serverPackage, workload } from '../lib/copilot-work.mjs'

const { command, args } = findServer({ env: {}, configured: serverPackage })
const child = spawn(command, args, { env: serverEnv, stdio: ['pipe', 'pipe', 'ignore'] })
process.on('exit', () => child.kill('SIGKILL'))
const connection = createMessageConnection(
  new StreamMessageReader(child.stdout),
  new StreamMessageWriter(child.stdin),
)
const replies = new Map()
connection.onUnhandledProgress(({ token, value }) => {
  for (const { reply } of value.editAgentRounds ?? [])
    if (reply) replies.set(token, (replies.get(token) ?? '') + reply)
})
connection.onRequest('conversation/invokeClientTool', () => [
  { content: [{ value: probe() }], status: 'success' },
  null,
])
connection.onRequest(() => null)
connection.onNotification(() => {})
connection.listen()

await connection.sendRequest('initialize', {
  processId: process.pid,
  rootUri: null,
  workspaceFolders: null,
  capabilities: { workspace: { workspaceFolders: false, configuration: false } },
  initializationOptions: {
    editorInfo: { name: 'bench', version: '1.0.0' },
    editorPluginInfo: { name: 'bench', version: '1.0.0' },
    copilotCapabilities: {},
  },
})
await connection.sendNotification('initialized', {})
const agent = { maxToolCallingLoop: 500, autoCompress: false, enableHooks: false, enableSkills: false }
await connection.sendNotification('workspace/didChangeConfiguration', {
  settings: { github: { copilot: { agent } }, telemetry: { telemetryLevel: 'off' } },
})
const inputSchema = {
  type: 'object',
  properties: { i: { type: 'number', description: 'number' } },
  required: ['i'],
}
const tools = await connection.sendRequest('conversation/registerTools', {
  tools: [{ name: 'probe', description: 'probe', inputSchema }],
})
// Its own tools would make every request longer, and Cadre removes them too.
await connection.sendRequest('conversation/unregisterTools', {
  toolIds: tools.filter(({ type }) => type !== 'client').map(({ id }) => id),
})

await measureConversations(async (name) => {
  await connection.sendRequest('conversation/create', {
    workDoneToken: name,
    turns: [
      { request: `<system_instructions>\n${workload.workerPrompt}\n</system_instructions>\n\n${name}` },
    ],
    capabilities: { skills: [], allSkills: false },
    source: 'panel',
    chatMode: 'Agent',
    modelInfo: { id: 'fake' },
    computeSuggestions: false,
    needToolCallConfirmation: false,
  })
  return replies.get(name)
})
