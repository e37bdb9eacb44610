import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { messageOf, plainText } from '@cadre/core'
import { isInside, maskSecrets, realPathOf } from '@cadre/disk'
import type { AuthProvider, RequestOptions, Transport } from '@modelcontextprotocol/client'
import type { ServerToolDefinition } from '../approved-tools/fingerprint-tool.ts'
import { secretsIn, secretTexts, sortLongestFirst } from '../config/secret-name.ts'
import type { ServerAddress, ServerProgram } from '../config/server-config.ts'
import type { Caller, Elicitation, ElicitationAnswer } from '../elicit/elicitation.ts'
import type { ResultPart, ServerResult } from '../tools/result-of.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Launch, ProgramStart } from './launch.ts'
import { ProcessTransport } from './process-transport.ts'
import { RunningCalls } from './running-calls.ts'

/** The protocol library's sign-in provider. Opaque, so that programs that use Cadre do not need the library's types. */
export type ServerAuth = object

export interface ConnectOptions {
  /** This process's environment. A server gets only a few of its variables. */
  readonly env: { readonly [name: string]: string | undefined }
  readonly workspace: string
  /** The folder that a program starts in if its configuration does not name one. Default: the workspace. */
  readonly cwd?: string | undefined
  /** Default: the program starts unchanged. */
  readonly launch?: Launch | undefined
  /** How long a server may take to start, in milliseconds. */
  readonly startLimit?: number
  readonly auth?: ServerAuth | undefined
  /** Asks a person a server's question. If absent, the client does not offer elicitation. */
  readonly elicit?: ((request: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>) | undefined
  /** Ends an attempt to connect. */
  readonly signal?: AbortSignal | undefined
  /** Called when the server reports that its tools have changed. */
  readonly onChanged?: () => void
  /** Called once, when the connection has ended for any reason. */
  readonly onClosed?: () => void
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** The call's idle timeout, in milliseconds. Progress from the server restarts it. */
  readonly idleLimit: number
  readonly totalLimit: number
  readonly progress?: ((message: string) => void) | undefined
  /** The trace that this call belongs to, as W3C Trace Context writes it. */
  readonly traceparent?: string | undefined
  /** The caller, for the server's questions. */
  readonly caller?: Caller | undefined
  /** Receives a sentence about the call, for its session's notices. */
  readonly notice?: ((message: string) => void) | undefined
}

/** An open connection to a server. */
export interface Connection {
  readonly pid: number | undefined
  /** The revision of the protocol, such as `2026-07-28`. */
  readonly revision: string | undefined
  list(): Promise<readonly ServerToolDefinition[]>
  call(tool: string, input: unknown, options: CallOptions): Promise<ServerResult>
  close(): Promise<void>
}

const listLimit = 10_000
const maxPages = 20
const maxTools = 200
const inherited = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER']

/** Connects to a server with the newest protocol revision that Cadre and the server support. Rejects with a sentence that explains the error. */
export async function connectServer(
  reach: ServerProgram | ServerAddress,
  options: ConnectOptions,
): Promise<Connection> {
  if (reach.kind === 'address') return open(reach, 'auto', options)
  try {
    return await open(reach, 'auto', options)
  } catch (error) {
    // `syscall`: the program cannot be started at all.
    if (error instanceof NotStarted || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    // Some older servers exit when their first request is not the one they expect.
    return open(reach, 'legacy', options)
  }
}

/** Retrying does not help. */
class NotStarted extends Error {}

async function open(
  reach: ServerProgram | ServerAddress,
  mode: 'auto' | 'legacy',
  options: ConnectOptions,
): Promise<Connection> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { startLimit = 20_000, elicit, onChanged, onClosed } = options
  const client = new Client(
    { name: 'cadre', version: '0.1.0' },
    {
      // A program may not answer a request that it does not know; a server at an address answers every request.
      versionNegotiation: {
        mode,
        probe: { timeoutMs: reach.kind === 'program' ? Math.min(3_000, startLimit) : startLimit },
      },
      listMaxPages: maxPages,
      capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true }, url: {} } },
      // Immediately, because the next call must see the change.
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => onChanged?.() } },
    },
  )
  const running = new RunningCalls()
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      if (!running.mayAsk()) return { action: 'decline' as const }
      const asks = 'url' in params ? { url: params.url } : { schema: params.requestedSchema }
      const asked = { message: plainText(params.message, 2_000), asks, callers: running.callers }
      const { action, content } = await running.ask((signal) => elicit(asked, signal), mcpReq.signal)
      return { action, ...(content && { content: { ...content } as Record<string, string> }) }
    })
  const program = reach.kind === 'program' ? programStart(reach, options) : undefined
  const secrets = sortLongestFirst([
    ...secretsIn(reach, reach.secrets),
    // It also has the variables from the `envFile`.
    ...secretTexts(program?.env ?? {}),
  ])
  const mask = (text: string) => maskSecrets(text, secrets)
  const transport =
    reach.kind === 'program'
      ? await programTransport(program as ProgramStart, options)
      : await addressTransport(reach, options)
  try {
    await within(startLimit, client.connect(transport, { timeout: startLimit }), options.signal)
  } catch (error) {
    await client.close().catch(() => {})
    await transport.close()
    throw withStderr(error, transport, mask)
  }
  client.onclose = () => onClosed?.()
  const answered = async <T>(request: Promise<T>): Promise<T> => {
    try {
      return await request
    } catch (error) {
      // A server at an address has forgotten this session, for example after a restart. The next call needs another one.
      if ((error as { readonly status?: unknown } | undefined)?.status === 404) await client.close()
      throw withMessage(error, mask(messageOf(error)))
    }
  }
  return {
    pid: transport instanceof ProcessTransport ? transport.pid : undefined,
    revision: client.getNegotiatedProtocolVersion(),
    async list() {
      const limits = { timeout: listLimit, maxTotalTimeout: 3 * listLimit, cacheMode: 'refresh' } as const
      const { tools } = await answered(client.listTools(undefined, limits))
      return tools.slice(0, maxTools) as unknown as readonly ServerToolDefinition[]
    },
    async call(tool, input, options) {
      const { totalLimit, progress, traceparent } = options
      const request = {
        name: tool,
        arguments: input as Record<string, unknown>,
        ...(traceparent && { _meta: { traceparent } }),
      }
      const call = running.start(options)
      const limits: RequestOptions = {
        signal: call.signal,
        // `call` applies the timeout itself, because the time stops while a person answers the server's question.
        timeout: totalLimit,
        maxTotalTimeout: totalLimit,
        // Set even without a listener: otherwise the client does not request progress, and only progress restarts the timeout.
        onprogress({ message, progress: done }) {
          call.progressed()
          progress?.(plainText(mask(message ?? `${done}`), 200).replace(/\s+/g, ' '))
        },
      }
      try {
        const result = (await answered(client.callTool(request, limits))) as ServerResult
        // Other results do not change, because agents use them.
        return result.isError === true ? maskedResult(result, mask) : result
      } finally {
        call.end()
      }
    },
    async close() {
      await client.close().catch(() => {})
      await transport.close()
    },
  }
}

function programStart(program: ServerProgram, options: ConnectOptions): ProgramStart {
  const { env, workspace, cwd = workspace } = options
  const basic = Object.fromEntries(inherited.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
  const envFile = program.envFile === undefined ? undefined : path.resolve(workspace, program.envFile)
  // A repository or an agent can create a link, and its target is not visible to the person.
  if (envFile !== undefined && isInside(workspace, envFile))
    if (!isInside(realPathOf(workspace), realPathOf(envFile)))
      throw new NotStarted(`the server's envFile ${envFile} is a link to a file outside the workspace`)
  const start: ProgramStart = {
    command: program.command,
    args: program.args,
    env: { ...basic, ...(envFile !== undefined && readEnvFile(envFile)), ...program.env },
    cwd: program.cwd === undefined ? cwd : path.resolve(workspace, program.cwd),
    ...(envFile !== undefined && { envFile }),
  }
  if (!isThere(start)) throw new NotStarted(missing(start))
  return start
}

async function programTransport(start: ProgramStart, { launch }: ConnectOptions): Promise<ProcessTransport> {
  try {
    return new ProcessTransport(launch === undefined ? start : await launch(start))
  } catch (error) {
    throw new NotStarted(messageOf(error))
  }
}

/** Checked here, because a sandbox reports a missing program with its own error message. */
function isThere({ command, env, cwd }: ProgramStart): boolean {
  if (process.platform === 'win32') return true
  if (command.includes('/')) return existsSync(path.resolve(cwd, command))
  const { PATH } = env
  return (
    PATH === undefined || PATH.split(':').some((folder) => existsSync(path.resolve(cwd, folder, command)))
  )
}

function missing({ command, cwd }: ProgramStart): string {
  if (command.includes('/')) return `there is no file ${path.resolve(cwd, command)}`
  return `there is no program ${JSON.stringify(command)} on PATH. Install it, or write its absolute path`
}

async function addressTransport(
  { url, headers }: ServerAddress,
  { auth }: ConnectOptions,
): Promise<Transport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const address = new URL(url)
  if (address.protocol !== 'https:' && address.protocol !== 'http:')
    throw new Error(`the server's address must be http or https, not ${address.protocol}`)
  return new StreamableHTTPClientTransport(address, {
    fetch: guardedFetch({ url: address, headers }),
    ...(auth && { authProvider: auth as AuthProvider }),
  }) as Transport
}

/** `NAME=value` lines, as VS Code reads them. */
function readEnvFile(file: string): { [name: string]: string } {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/)
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value = ''] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value.replace(/^(['"])(.*)\1$/s, '$2')]]
    }),
  )
}

async function within<T>(ms: number, work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let give = () => {}
  const late = new Promise<never>((_, reject) => {
    const stop = () => reject(new NotStarted('the server was stopped before it was ready'))
    const timer = setTimeout(
      () => reject(new NotStarted(`the server was not ready within ${Math.round(ms / 1000)} s`)),
      ms,
    )
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    give = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  })
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => give())
}

/** The server's last output usually names the cause. It is masked before it is shortened, because part of a secret would not be recognised. */
function withStderr(error: unknown, transport: Transport, mask: (text: string) => string): Error {
  const printed =
    transport instanceof ProcessTransport
      ? mask(plainText(transport.stderr, Number.POSITIVE_INFINITY)).trim()
      : ''
  const last = printed.split('\n').slice(-3).join(' · ')
  return withMessage(
    error,
    `${mask(messageOf(error))}${last === '' ? '' : `. It printed: ${last.slice(-400)}`}`,
  )
}

function withMessage(error: unknown, message: string): Error {
  return Object.assign(error instanceof Error ? error : new Error(), { message })
}

function maskedResult(result: ServerResult, mask: (text: string) => string): ServerResult {
  const { content = [], structuredContent } = result
  const maskedPart = (part: ResultPart): ResultPart => ({
    ...part,
    ...(part.text !== undefined && { text: mask(part.text) }),
    ...(part.resource?.text !== undefined && {
      resource: { ...part.resource, text: mask(part.resource.text) },
    }),
  })
  return {
    ...result,
    content: content.map(maskedPart),
    ...(structuredContent !== undefined && {
      structuredContent: maskedValue(structuredContent, mask),
    }),
  }
}

function maskedValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskedValue(item, mask)]))
}
