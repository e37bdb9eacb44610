import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock, Model, ModelRequest, Reply, ReplyFailure, ToolOffer } from '@cadre/core'
import { onTestFinished } from 'vitest'
import { question } from '../ask.spec-helpers.ts'
import { systemClock } from '../pause.ts'
import { ProgramCalls } from '../program-calls.ts'
import { type AcpModel, acpModel } from './acp-model.ts'
import type { Confine } from './confine.ts'
import { secretsOf } from './hide-secrets.ts'
import type { AgentProgram, Control } from './program.ts'

/** What every fake agent can do. `on` has its handlers; `body` replaces some of them. */
const opening = `
import { createInterface } from 'node:readline'
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
const session = 's1'
let id = 0
let mcp
const waiting = new Map()
const heard = []
const raw = (text) => process.stdout.write(text)
const send = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const ask = (method, params) => new Promise((ok) => { waiting.set(++id, ok); send({ id, method, params }) })
const update = (update, sessionId = session) => send({ method: 'session/update', params: { sessionId, update } })
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]
const permit = async (toolCall, offered = options, sessionId = session) =>
  (await ask('session/request_permission', { sessionId, toolCall: { toolCallId: 't', ...toolCall }, options: offered })).result.outcome
const post = (method, params, signal) => fetch(mcp.url, {
  method: 'POST', signal,
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: mcp.headers[0].value },
  body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
})
const results = (text) => text.split('\\n').filter((line) => line.startsWith('data:')).map((line) => JSON.parse(line.slice(5)))
const call = async (name, args, signal) => {
  const answer = await post('tools/call', { name, arguments: args, _meta: { progressToken: 1 } }, signal)
  const text = await answer.text()
  const { result } = text.startsWith('{') ? JSON.parse(text) : results(text).find((one) => 'result' in one)
  return result.content.map((one) => one.text ?? one.mimeType).join(' ')
}
let loaded = () => post('tools/list', {}).then((answer) => answer.text())
const hang = () => new Promise(() => setInterval(() => {}, 1e9))
const on = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true }, promptCapabilities: { image: true } } }),
  'session/new': (params) => { mcp = params.mcpServers[0]; return loaded().then(() => ({ sessionId: session })) },
  'session/prompt': (params) => prompted(params.prompt[0].text, params),
  'session/cancel': () => {},
}
let prompted = async () => ({ stopReason: 'end_turn' })
const done = { stopReason: 'end_turn', usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 } }
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, ...answer } = JSON.parse(line)
  if (method === undefined) { waiting.get(id)?.(answer); return }
  heard.push(method)
  try {
    const result = await on[method]?.(params)
    if (id !== undefined) send({ id, result })
  } catch (error) {
    if (typeof error.code !== 'number') throw error
    send({ id, error })
  }
}).on('close', () => onClose())
let onClose = () => process.exit(0)
`

export interface Fake {
  readonly model: AcpModel
  readonly programCalls: ProgramCalls
  readonly folder: string
  /** A file that the agent can write: `file` in its code. */
  readonly file: string
}

export interface FakeOptions {
  readonly control?: Control
  readonly clock?: Clock
  readonly idleTimeout?: number
  readonly tries?: number
  readonly env?: Readonly<Record<string, string>>
  readonly confine?: Confine
  readonly withoutSandbox?: boolean
  readonly wanted?: string
  readonly program?: Partial<AgentProgram>
}

/** Writes the program of an agent that behaves as `body` says. Returns its file. */
export function writeAgent(folder: string, body: string): string {
  const script = path.join(folder, 'agent.mjs')
  writeFileSync(script, `${opening}\nconst file = ${JSON.stringify(path.join(folder, 'written'))}\n${body}`)
  return script
}

/** A model of a program that behaves as `body` says. */
export function fakeAgent(body: string, options: FakeOptions = {}): Fake {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-acp-')))
  const file = path.join(folder, 'written')
  mkdirSync(path.join(folder, 'home'))
  const script = writeAgent(folder, body)
  const env = { PATH: process.env['PATH'], HOME: path.join(folder, 'home'), ...options.env }
  const program: AgentProgram = {
    name: 'fake',
    title: 'Fake',
    control: options.control ?? 'tools',
    command: ['node'],
    variables: /^FAKE_/,
    prepare: () => ({}),
    ...options.program,
  }
  const programCalls = new ProgramCalls()
  const model = acpModel({
    id: 'acp:fake',
    facts: {},
    found: { program, command: process.execPath, args: [script] },
    model: options.wanted,
    env,
    clock: options.clock ?? systemClock,
    withoutSandbox: options.withoutSandbox ?? true,
    programCalls,
    confine: options.confine,
    secrets: secretsOf(env, program.variables),
    idleTimeout: options.idleTimeout ?? 60_000,
    tries: options.tries ?? 1,
  })
  onTestFinished(async () => {
    await model.end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return { model, programCalls, folder, file }
}

/** For `expect.poll` on a busy machine. */
export const patience = { timeout: 60_000 }

export const note: ToolOffer = {
  name: 'note',
  description: 'Notes',
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
}

/** A session that asks a model round by round, as the loop does. */
export class FakeSession {
  readonly notices: string[] = []
  /** The reasons for delays that were told. */
  readonly delays: string[] = []
  /** The text that was told while the model wrote it. */
  live = ''
  readonly #model: Model
  #request: ModelRequest

  constructor(model: Model, over: Partial<ModelRequest> = {}) {
    this.#model = model
    this.#request = question({
      tools: [note],
      workspace: tmpdir(),
      permits: { edits: true, programs: true },
      ...over,
    })
  }

  get messages(): ModelRequest['messages'] {
    return this.#request.messages
  }

  async ask(signal = new AbortController().signal): Promise<Reply | ReplyFailure> {
    const notice = (code: string, message: string) => void this.notices.push(`${code}: ${message}`)
    const delayed = (reason: string) => void this.delays.push(reason)
    const text = (delta: string) => {
      this.live += delta
    }
    const reply = await this.#model.reply(this.#request, { text, notice, delayed }, signal)
    if (reply.kind === 'reply')
      this.#add({
        role: 'assistant',
        content: reply.content,
        ...(reply.calls.length > 0 && { tool_calls: reply.calls }),
      })
    return reply
  }

  async reply(): Promise<Reply> {
    const reply = await this.ask()
    if (reply.kind === 'failed') throw new Error(reply.message)
    return reply
  }

  async failure(): Promise<ReplyFailure> {
    const reply = await this.ask()
    if (reply.kind === 'reply') throw new Error(`expected a failure, got ${JSON.stringify(reply)}`)
    return reply
  }

  say(content: string): void {
    this.#add({ role: 'user', content })
  }

  result(reply: Reply, index: number, content: string): void {
    this.#add({ role: 'tool_result', tool_call_id: reply.calls[index]?.id ?? '', content })
  }

  #add(message: ModelRequest['messages'][number]): void {
    this.#request = { ...this.#request, messages: [...this.#request.messages, message] }
  }
}
