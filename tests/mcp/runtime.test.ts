/** What programs get that run Cadre themselves: servers of an editor, elicitation, and the daemon. */
import { readdirSync, readFileSync } from 'node:fs'
import { openHome } from '@cadre/home'
import type { ServerConfig } from '@cadre/mcp'
import { createRuntime, type RuntimeOptions } from '@cadre/runtime'
import { expect } from 'vitest'
import { askingServer, formQuestion } from '../../packages/mcp/src/asking-server.spec-helpers.ts'
import { serverScript } from '../../packages/mcp/src/server-script.spec-helpers.ts'
import { openDaemonRuntime } from '../../packages/server/src/daemon/open-daemon-runtime.ts'
import { recordOwnHome } from '../cli/support/own-home.ts'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { sampled } from '../support/amount.ts'

const test = sampled(2)

const node = process.execPath

/** A server that an editor passes. */
function ofEditor(args: readonly string[], more: object = {}): ServerConfig {
  return {
    ...{ name: 'calc', scope: 'client', file: 'the editor', syntax: 'claude', inputs: {} },
    reach: { kind: 'program', command: node, args, env: {}, ...more },
    ...{ tools: ['*'], effects: { '*': 'read' } },
  }
}

async function open(project: Project, user: Project, more: Partial<RuntimeOptions> = {}) {
  const env = { HOME: user.path, PATH: process.env['PATH'] }
  recordOwnHome({ cwd: project.path, env: { HOME: user.path }, args: [] })
  const told: string[] = []
  const runtime = await createRuntime({
    workspace: project.path,
    environment: { env, cwd: project.path, warn: (message) => told.push(message) },
    model: `scripted:${project.at('p.yaml')}`,
    noHuman: true,
    ...more,
  })
  return { runtime, told: () => [...runtime.notices.map(({ message }) => message), ...told].join('\n') }
}

const playbook = (...replies: object[]) => ({ 'p.yaml': { lanes: { lead: replies } } })
const add = { calls: [{ tool: 'mcp__calc__add', input: { a: 1, b: 2 } }] }
const base = { ...agentFile('lead'), ...playbook(add, { reply: 'Done.' }) }

test('a server that an editor passes works, but cannot state that its tools only read', async () => {
  const user = createProject({ 'calc.cjs': serverScript() })
  const project = createProject(base)
  const outcomes: unknown[] = []
  const onEvent = (event: { readonly type: string; readonly outcome?: unknown }) =>
    void (event.type === 'call.settled' && outcomes.push(event.outcome))
  for (const allow of [[], ['calc/add' as const]]) {
    const { runtime } = await open(project, user, { mcpServers: [ofEditor(['calc.cjs'])], allow, onEvent })
    await runtime.run({ work: 'Go.', agent: 'lead' })
    await runtime.close()
  }
  expect(outcomes).toEqual(['refused', 'done'])
})

test.each([
  ['its script', ['FOLDER/server.cjs'], {}],
  ['its folder', ['server.cjs'], { cwd: '.' }],
])('a server that an editor passes needs trust if %s is in the folder', async (_, args, more) => {
  const user = createProject()
  const project = createProject({
    ...base,
    'server.cjs': `require('node:fs').writeFileSync('pwned', '')`,
  })
  const server = ofEditor(
    args.map((arg) => arg.replace('FOLDER', project.path)),
    more,
  )
  const { runtime, told } = await open(project, user, { mcpServers: [server] })
  await runtime.close()
  expect(told()).toContain('starts the MCP server calc: ')
  expect(told()).toContain('this folder is not trusted')
  expect(project.exists('pwned')).toBe(false)
})

test("a server's question reaches the person, with the server's name", async () => {
  const asks = serverScript({
    each: `if (m.id === 'q') return send({ id: globalThis.call, result: { content: [{ type: 'text', text: JSON.stringify(m.result) }] } })
    if (m.method === 'tools/call') { globalThis.call = m.id; return send({ id: 'q', method: 'elicitation/create', params: { message: 'Which branch?', requestedSchema: { type: 'object', properties: {} } } }) }`,
  })
  const user = createProject({ 'calc.cjs': asks })
  const project = createProject(base)
  const asked: object[] = []
  const contents: unknown[] = []
  const { runtime } = await open(project, user, {
    mcpServers: [ofEditor(['calc.cjs'])],
    allow: ['calc/*'],
    noHuman: false,
    elicit: async ({ server, message }) => {
      asked.push({ server, message })
      return { action: 'decline' }
    },
    onEvent: (event) => void (event.type === 'call.settled' && contents.push(event.content)),
  })
  await runtime.run({ work: 'Go.', agent: 'lead' })
  await runtime.close()
  expect(asked).toEqual([{ server: 'calc', message: 'Which branch?' }])
  expect(contents).toEqual(['{"action":"decline"}'])
})

test("a run without a person declines a server's question, and its journal records it", async () => {
  const user = createProject({ 'calc.cjs': askingServer(formQuestion('Which branch?')) })
  const project = createProject(base)
  const contents: unknown[] = []
  const { runtime } = await open(project, user, {
    mcpServers: [ofEditor(['calc.cjs'])],
    allow: ['calc/*'],
    onEvent: (event) => void (event.type === 'call.settled' && contents.push(event.content)),
  })
  const result = await runtime.run({ work: 'Go.', agent: 'lead' })
  await runtime.close()
  expect(contents).toEqual(['[{"action":"decline"}]'])
  const said =
    'The MCP server calc asked: "Which branch?". Cadre declined, because there is nobody to ask in this run.'
  expect(result).toMatchObject({ report: { notices: [{ code: 'mcp', message: said }] } })
  const [journal = ''] = readdirSync(project.at('.cadre/sessions'))
  expect(project.read(`.cadre/sessions/${journal}`).replace(/\s+/g, ' ')).toContain(said)
})

test('the daemon offers the tools, notices approvals, and ends the servers of an earlier configuration', async () => {
  const user = createProject({ 'calc.cjs': serverScript() })
  const project = createProject(base)
  user.write('.config/cadre/config.yaml', {
    mcp: { servers: { calc: { command: node, args: ['calc.cjs'], env: { MARK: user.path } } } },
  })
  const env = { HOME: user.path, PATH: process.env['PATH'] }
  recordOwnHome({ cwd: project.path, env: { HOME: user.path }, args: [] })
  const io = { env, cwd: project.path, warn: () => {} }
  const home = openHome({ cwd: project.path, env, home: project.at('.cadre') })
  const runtime = await openDaemonRuntime(
    { io, home: home.path, workspace: project.path, model: `scripted:${project.at('p.yaml')}` },
    home,
    { emit: () => {}, tell: () => {}, auditFailed: () => {}, shouldRetry: () => false },
  )
  try {
    const parts = await runtime.load()
    expect(isRunning(`MARK=${user.path}`)).toBe(true)
    const stamp = runtime.stamp()
    user.write('.copilot/mcp-config.json', { mcpServers: {} })
    expect(runtime.stamp()).not.toBe(stamp)
    await parts.close?.()
    expect(isRunning(`MARK=${user.path}`)).toBe(false)
  } finally {
    await runtime.engine.close()
    await runtime.close?.()
  }
})

/** Whether a process has this variable. In the sandbox, a server does not know its own process id. */
function isRunning(variable: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      return (
        /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(variable)
      )
    } catch {
      return false
    }
  })
}
