/**
 * One running language server, connected through its standard input and output.
 *
 * 1. A request never rejects: it ends with an answer, a refusal, or the end of the process.
 * 2. Requests from the server go only to `requested`; unsupported ones are refused.
 * 3. The server always ends with this process: it is killed on exit, and it exits when its input closes.
 * 4. An idle server does not keep this process alive.
 */

import { type ChildProcessByStdio, spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '@cadre/core'
import {
  CancellationToken,
  createMessageConnection,
  ErrorCodes,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node'
import { childEnvironment } from '../child-environment.ts'
import { tokenHider } from '../hide-tokens.ts'
import type { ServerCommand } from './find-server.ts'
import { invalidResponseMessage, readVersion } from './wire-readers.ts'

export interface ServerOptions {
  readonly command: ServerCommand
  readonly env: { readonly [name: string]: string | undefined }
  readonly clock: Clock
  /** `copilotCapabilities` in the handshake. */
  readonly capabilities?: { readonly [name: string]: unknown }
  /** Sent as the server's settings, before any request. */
  readonly settings?: { readonly [name: string]: unknown }
  /** Milliseconds for the handshake. Default 60000. */
  readonly startTimeout?: number
  /** Answers a request from the server; `undefined` refuses it. */
  readonly requested?: (method: string, params: unknown) => Promise<unknown> | undefined
  readonly notified?: (method: string, params: unknown) => void
  readonly progressed?: (token: string | number, value: unknown) => void
}

export type Answer<T = unknown> =
  | { readonly kind: 'answer'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string }
  /** The process has exited; `message` is a full sentence. */
  | { readonly kind: 'gone'; readonly message: string }

export interface ServerProcess {
  readonly pid: number
  readonly version: string
  /** Resolves when the process has exited, with a sentence about it. */
  readonly ended: Promise<string>
  readonly isRunning: boolean
  /** An answer that `read` rejects counts as a refusal. */
  request<T = unknown>(
    method: string,
    params?: unknown,
    read?: (value: unknown) => T | undefined,
  ): Promise<Answer<T>>
  notify(method: string, params: unknown): void
  /** Asks it to exit, and kills it if it does not. Resolves when it is gone. */
  stop(): Promise<void>
  /** From now on it counts as exited. */
  kill(): void
}

export type ServerStart =
  | { readonly kind: 'started'; readonly server: ServerProcess }
  | { readonly kind: 'failed'; readonly message: string }

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const running = new Set<Child>()
const stopGraceMs = 2_000
const passedVariables = /^(XDG|GITHUB_COPILOT|GH_COPILOT|AGENT_DEBUG)_/i

/** Starts a server and completes the handshake. */
export async function startServer(options: ServerOptions): Promise<ServerStart> {
  const { command, env, clock, startTimeout = 60_000 } = options
  const child = spawn(command.command, [...command.args, '--clientProcessId', String(process.pid)], {
    // Not the workspace: the server must find no files there to read or run.
    cwd: path.dirname(path.isAbsolute(command.args[0] ?? '') ? (command.args[0] as string) : command.command),
    env: childEnvironment(env, passedVariables),
    stdio: ['pipe', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C goes to Cadre, which stops everything in order.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  const server = new RunningServer(child, options)
  const cancelTimer = clock.after(startTimeout, () => server.kill())
  const parameters = {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: null,
    capabilities: { workspace: { workspaceFolders: false, configuration: false } },
    initializationOptions: {
      editorInfo: { name: 'Cadre', version: '0.1.0' },
      editorPluginInfo: { name: 'cadre', version: '0.1.0' },
      copilotCapabilities: options.capabilities ?? {},
    },
  }
  const answer = await server.request('initialize', parameters, readVersion)
  cancelTimer()
  if (answer.kind !== 'answer') {
    server.kill()
    return { kind: 'failed', message: `the Copilot language server did not start: ${answer.message}` }
  }
  server.version = answer.value
  server.notify('initialized', {})
  server.notify('workspace/didChangeConfiguration', { settings: options.settings ?? {} })
  return { kind: 'started', server }
}

class RunningServer implements ServerProcess {
  readonly ended: Promise<string>
  isRunning = true
  version = 'unknown'
  readonly #child: Child
  readonly #connection: MessageConnection
  readonly #clock: Clock
  readonly #hide: (text: string) => string
  #how = 'the Copilot language server has exited.'
  #lastWords = ''
  #end: (how: string) => void = () => {}

  constructor(child: Child, { clock, env, requested, notified, progressed }: ServerOptions) {
    this.#child = child
    this.#hide = tokenHider(env)
    this.#clock = clock
    running.add(child)
    if (running.size === 1) process.on('exit', killAll)
    unref(child)
    child.stderr.on('data', (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk).slice(-2_000)
    })
    this.ended = new Promise((resolve) => {
      this.#end = (how) => {
        if (!this.isRunning) return
        this.isRunning = false
        this.#how = how
        running.delete(child)
        if (running.size === 0) process.off('exit', killAll)
        this.#connection.dispose()
        resolve(how)
      }
      child.on('error', (error) => this.#end(`cannot run the Copilot language server: ${error.message}.`))
      child.on('exit', (code, signal) => this.#end(this.#howItEnded(code, signal)))
    })
    // `exit` reports its death; these only report a broken pipe.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {})
    this.#connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    )
    this.#connection.onError(() => {})
    // The connection is lost, so pending requests would never end.
    this.#connection.onClose(() => killGroup(child))
    this.#connection.onRequest(
      (method, params) =>
        requested?.(method, params) ??
        new ResponseError(ErrorCodes.MethodNotFound, `Cadre does not support ${method}`),
    )
    this.#connection.onNotification((method, params) => notified?.(method, params))
    this.#connection.onUnhandledProgress(({ token, value }) => progressed?.(token, value))
    this.#connection.listen()
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  async request<T>(
    method: string,
    params: unknown = {},
    read?: (value: unknown) => T | undefined,
  ): Promise<Answer<T>> {
    if (!this.isRunning) return { kind: 'gone', message: this.#how }
    try {
      const sent: unknown = await this.#connection.sendRequest(method, params, CancellationToken.None)
      if (read === undefined) return { kind: 'answer', value: sent as T }
      const value = read(sent)
      return value === undefined
        ? { kind: 'refused', code: ErrorCodes.ParseError, message: invalidResponseMessage(method) }
        : { kind: 'answer', value }
    } catch (error) {
      if (
        error instanceof ResponseError &&
        this.isRunning &&
        error.code !== ErrorCodes.PendingResponseRejected
      )
        return { kind: 'refused', code: error.code, message: this.#hide(error.message) }
      if (this.isRunning) killGroup(this.#child)
      return { kind: 'gone', message: await this.ended }
    }
  }

  notify(method: string, params: unknown): void {
    if (this.isRunning) this.#connection.sendNotification(method, params).catch(() => {})
  }

  async stop(): Promise<void> {
    const cancelTimer = this.#clock.after(stopGraceMs, () => this.kill())
    // Neither the server nor the clock keeps this process alive, but a caller is waiting.
    const alive = setInterval(() => {}, 2 ** 31 - 1)
    void this.request('shutdown').then(() => this.notify('exit', undefined))
    await this.ended
    clearInterval(alive)
    cancelTimer()
  }

  kill(): void {
    if (!this.isRunning) return
    killGroup(this.#child)
    this.#end('Cadre stopped the Copilot language server because it did not answer.')
  }

  #howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
    const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`
    const words = this.#hide(this.#lastWords).trim().split('\n').at(-1)
    return `the Copilot language server ${how}.${code && words ? ` Its last line: ${words}` : ''}`
  }
}

function killAll(): void {
  for (const child of running) killGroup(child)
}

function killGroup(child: Child): void {
  try {
    if (child.pid === undefined) return
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is already gone.
  }
}

function unref(child: Child): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr])
    (stream as unknown as { unref?(): void }).unref?.()
}
