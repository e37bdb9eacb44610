import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk/unstable'
import { serveAcp } from '@cadre/protocols'
import { onTestFinished } from 'vitest'
import { recordOwnHome } from '../../cli/support/own-home.ts'
import type { Project } from '../../cli/support/project.ts'

type Update = acp.SessionUpdate
type Flags = Parameters<typeof serveAcp>[0]['flags']

export interface Asked extends acp.RequestPermissionRequest {
  readonly signal: AbortSignal
}

export type Decide = (asked: Asked) => string | undefined | Promise<string | undefined>

export interface EditorOptions {
  readonly capabilities?: acp.ClientCapabilities
  readonly flags?: Flags
  readonly env?: Readonly<Record<string, string>>
  /** The id of the option to select. Undefined: cancelled. Default: the first that allows. */
  readonly decide?: Decide
  /** Answers the forms of MCP servers. */
  readonly elicit?: (asked: acp.CreateElicitationRequest) => acp.CreateElicitationResponse
  /** Unsaved texts by absolute path. The editor then offers its file system, and writes to it and to the disk. */
  readonly buffers?: Map<string, string>
  /** The editor offers terminals: real programs. */
  readonly terminals?: boolean
  /** The editor rejects every write. */
  readonly failsToWrite?: boolean
  /** The home came from elsewhere. */
  readonly isForeign?: boolean
  readonly models?: readonly string[]
}

export interface TestEditor {
  readonly agent: acp.ClientContext
  /** The folder of its sessions. */
  readonly cwd: string
  readonly updates: { readonly sessionId: string; readonly update: Update }[]
  readonly asked: Asked[]
  /** Requests for files, in order: `read PATH`, `write PATH`. */
  readonly files: string[]
  /** The output of every terminal, and whether it was released. */
  readonly terminals: Map<string, { output: string; code?: number | null; isReleased: boolean }>
  /** What Cadre wrote to standard error. */
  readonly warnings: string[]
  /** Everything that Cadre wrote to standard output. */
  raw(): string
  /** Sends bytes that need not be a message. */
  send(text: string): void
  open(): Promise<string>
  prompt(sessionId: string, text: string, more?: Partial<acp.PromptRequest>): Promise<acp.PromptResponse>
  /** The updates of one kind. */
  of<Kind extends Update['sessionUpdate']>(kind: Kind): Extract<Update, { sessionUpdate: Kind }>[]
  /** The answer of the entry agent so far. */
  text(): string
  /** The last state of every card, by id. */
  cards(): Map<string, Record<string, unknown>>
  /** Resolves when a condition is true. Checked with every message. */
  until(holds: () => boolean): Promise<void>
  /** Ends the connection, and resolves when Cadre has ended. */
  close(): Promise<void>
  /** Closes the pipe that Cadre writes to. */
  breakPipe(): void
  readonly ended: Promise<void>
}

/** An editor that talks to Cadre in this process, over streams. */
export async function openEditor(project: Project, options: EditorOptions = {}): Promise<TestEditor> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: project.path, USER: 'tester', ...options.env }
  if (!options.isForeign) recordOwnHome({ cwd: project.path, env })
  const toCadre = new PassThrough()
  const fromCadre = new PassThrough()
  const toEditor = new PassThrough()
  const raw: Buffer[] = []
  fromCadre.on('data', (bytes: Buffer) => {
    raw.push(bytes)
    toEditor.write(bytes)
  })
  fromCadre.on('end', () => toEditor.end())
  const warnings: string[] = []
  const end = new AbortController()
  const ended = serveAcp({
    environment: { env, cwd: project.path, warn: (message) => void warnings.push(message) },
    input: toCadre,
    output: fromCadre,
    version: '0.0.0',
    flags: { model: 'scripted:p.yaml', ...options.flags },
    listModels: async () => options.models ?? [],
    signal: end.signal,
  })
  const updates: TestEditor['updates'] = []
  const asked: Asked[] = []
  const files: string[] = []
  const terminals: TestEditor['terminals'] = new Map()
  const exits = new Map<string, Promise<unknown>>()
  const watchers = new Set<() => void>()
  const look = () => {
    for (const watcher of [...watchers]) watcher()
  }
  const { buffers, decide = allow } = options
  const app = acp
    .client({ name: 'test' })
    .onNotification('session/update', ({ params }) => {
      updates.push(params)
      look()
    })
    .onRequest('session/request_permission', async ({ params, signal }) => {
      const request = { ...params, signal }
      asked.push(request)
      look()
      const chosen = await decide(request)
      return chosen === undefined
        ? { outcome: { outcome: 'cancelled' } }
        : { outcome: { outcome: 'selected', optionId: chosen } }
    })
    .onRequest('elicitation/create', ({ params }) => options.elicit?.(params) ?? { action: 'cancel' })
    .onRequest('fs/read_text_file', ({ params }) => {
      files.push(`read ${params.path}`)
      return { content: buffers?.get(params.path) ?? readFileSync(params.path, 'utf8') }
    })
    .onRequest('fs/write_text_file', ({ params }) => {
      files.push(`write ${params.path}`)
      if (options.failsToWrite) throw new Error('the disk is full')
      buffers?.set(params.path, params.content)
      mkdirSync(path.dirname(params.path), { recursive: true })
      writeFileSync(params.path, params.content)
      return {}
    })
  if (options.terminals)
    app
      .onRequest('terminal/create', ({ params }) => {
        const terminalId = `terminal-${terminals.size + 1}`
        const terminal: { output: string; code?: number | null; isReleased: boolean } = {
          output: '',
          isReleased: false,
        }
        terminals.set(terminalId, terminal)
        const child = spawn(params.command, params.args ?? [], { cwd: params.cwd ?? project.path })
        child.stdout.on('data', (bytes: Buffer) => {
          terminal.output += bytes.toString('utf8')
        })
        exits.set(
          terminalId,
          once(child, 'close').then(([code]: (number | null)[]) => {
            terminal.code = code ?? null
          }),
        )
        return { terminalId }
      })
      .onRequest('terminal/wait_for_exit', async ({ params }) => {
        await exits.get(params.terminalId)
        return { exitCode: terminals.get(params.terminalId)?.code ?? null }
      })
      .onRequest('terminal/release', ({ params }) => {
        const terminal = terminals.get(params.terminalId)
        if (terminal !== undefined) terminal.isReleased = true
        look()
        return {}
      })
  const connection = app.connect(
    acp.ndJsonStream(
      Writable.toWeb(toCadre) as WritableStream<Uint8Array>,
      Readable.toWeb(toEditor) as unknown as ReadableStream<Uint8Array>,
    ),
  )
  const { agent } = connection
  const close = async () => {
    connection.close()
    toCadre.end()
    await ended
  }
  onTestFinished(close)
  await agent.request('initialize', {
    protocolVersion: 1,
    clientInfo: { name: 'test-editor', version: '1' },
    clientCapabilities: {
      ...(options.terminals && { terminal: true }),
      ...(buffers && { fs: { readTextFile: true, writeTextFile: true } }),
      ...options.capabilities,
    },
  })
  const editor: TestEditor = {
    agent,
    cwd: project.path,
    updates,
    asked,
    files,
    terminals,
    warnings,
    raw: () => Buffer.concat(raw).toString('utf8'),
    send: (text) => void toCadre.write(text),
    async open() {
      const { sessionId } = await agent.request('session/new', { cwd: project.path, mcpServers: [] })
      return sessionId
    },
    prompt: (sessionId, text, more) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }], ...more }),
    of: (kind) => updates.flatMap(({ update }) => (update.sessionUpdate === kind ? [update] : [])) as never,
    text: () =>
      editor
        .of('agent_message_chunk')
        .map(({ content }) => (content.type === 'text' ? content.text : ''))
        .join(''),
    cards() {
      const cards = new Map<string, Record<string, unknown>>()
      for (const { update } of updates)
        if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update')
          cards.set(update.toolCallId, { ...cards.get(update.toolCallId), ...update })
      return cards
    },
    until: (holds) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!holds()) return
          watchers.delete(check)
          resolve()
        }
        watchers.add(check)
        check()
        void ended.then(() => reject(new Error('Cadre ended before')))
      }),
    close,
    breakPipe: () => void fromCadre.destroy(),
    ended,
  }
  return editor
}

function allow({ options }: Asked): string | undefined {
  return options.find(({ kind }) => kind === 'allow_once')?.optionId
}
