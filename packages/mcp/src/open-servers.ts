/**
 * The MCP servers of a run.
 *
 * 1. Agents see only definitions that were approved. They are read from the pins, so that no server starts before its first call.
 * 2. A server without pins is connected once when the run starts. Its configuration was written or trusted by a person, so its first list
 *    is approved as it is, and the person is told.
 * 3. Each connection compares the list of the server with the pins. A call of a tool that changed is refused.
 * 4. All sessions share one connection per server. After a failure, the next start waits longer each time.
 */
import {
  checkSchema,
  defineTool,
  matchesWildcard,
  messageOf,
  type Notice,
  type StandardSchema,
  type Tool,
  type ToolContext,
} from '@cadre/core'
import { expandServer, type VariableValues } from './config/expand-server.ts'
import type { ServerConfig } from './config/server-config.ts'
import { type Connection, type ConnectOptions, connectServer } from './connect/connect-server.ts'
import type { ToolDefinition } from './pins/pin-of.ts'
import { comparePins, type PinStore } from './pins/pin-store.ts'
import { effectOf } from './tools/effect-of.ts'
import { plainText } from './tools/plain-text.ts'
import { resultOf } from './tools/result-of.ts'
import { toolName } from './tools/tool-name.ts'

export interface ServersOptions extends Pick<ConnectOptions, 'elicit' | 'startLimit'> {
  readonly servers: readonly ServerConfig[]
  readonly pins: PinStore
  readonly values: VariableValues
  /** Tells the user something, in one sentence. */
  readonly tell: (message: string) => void
  /** How a server at an address is signed in to. */
  readonly authOf?: ((server: ServerConfig) => ConnectOptions['auth']) | undefined
  /** The trace context of a call. */
  readonly traceparentOf?: ((context: ToolContext) => string | undefined) | undefined
}

export interface Servers {
  readonly tools: readonly Tool[]
  readonly notices: readonly Notice[]
  /** Ends all connections, and the processes that Cadre has started for them. */
  close(): Promise<void>
}

const idleLimit = 60_000
const totalLimit = 30 * 60_000

/** Opens the servers of a run. Never rejects: a server that cannot be used gives a notice, and no tools. */
export async function openServers(options: ServersOptions): Promise<Servers> {
  const links = options.servers.map((server) => new ServerLink(server, options))
  const notices: Notice[] = []
  await Promise.all(
    links.map(async (link) => {
      try {
        const approved = await link.prepare()
        if (approved !== undefined) notices.push({ code: 'mcp', message: approved })
      } catch (error) {
        notices.push({
          code: 'mcp',
          message: `The MCP server ${link.server.name} cannot be used: ${messageOf(error)}`,
        })
      }
    }),
  )
  const taken = new Set<string>()
  const tools = links.flatMap((link) =>
    link.tools.flatMap((definition) => {
      const tool = toolOf(definition, link, taken, options)
      if (typeof tool !== 'string') return [tool]
      notices.push({ code: 'mcp', message: tool })
      return []
    }),
  )
  return { tools, notices, close: async () => void (await Promise.all(links.map((link) => link.close()))) }
}

/** The shared connection to one server. */
class ServerLink {
  readonly server: ServerConfig
  readonly #options: ServersOptions
  #approved: readonly ToolDefinition[] = []
  /** The names of the approved tools that the server still lists without a change. Unknown until the first list. */
  #same: ReadonlySet<string> | undefined
  #connection: Promise<Connection> | undefined
  #failures = 0
  #nextStart = 0
  /** How many times it was started. The end of an earlier connection says nothing about the current one. */
  #life = 0
  #isClosed = false

  constructor(server: ServerConfig, options: ServersOptions) {
    this.server = server
    this.#options = options
  }

  /** The approved tools that the configuration selects. */
  get tools(): readonly ToolDefinition[] {
    return this.#approved.filter(({ name }) =>
      this.server.tools.some((pattern) => matchesWildcard(pattern, name)),
    )
  }

  /** Reads the pins. Without any, asks the server once, and returns a sentence about what was approved. */
  async prepare(): Promise<string | undefined> {
    const { pins } = this.#options
    const pinned = pins.of(this.server)
    if (pinned !== undefined) {
      this.#approved = pinned.tools
      return undefined
    }
    const connection = await this.#connect()
    const listed = await connection.list()
    pins.save(this.server, { tools: listed, pending: [] })
    this.#approved = listed
    this.#same = new Set(listed.map(({ name }) => name))
    const count = listed.length === 1 ? 'its tool' : `its ${listed.length} tools`
    return `Cadre uses the MCP server ${this.server.name} for the first time and approved ${count}. Later changes need your approval.`
  }

  /** The connection for a call of this tool, or the reason why it must not be called. */
  async for(tool: string): Promise<Connection | string> {
    const connection = await this.#connect()
    if (this.#same === undefined) await this.#compare(connection)
    if (this.#same?.has(tool)) return connection
    return `The MCP server ${this.server.name} has changed the definition of ${tool}, or removed it, since it was approved. Run "cadre mcp approve ${this.server.name}" to see the difference.`
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const connection = await this.#connection?.catch(() => undefined)
    await connection?.close()
  }

  async #compare(connection: Connection): Promise<void> {
    const { tools, pending } = comparePins(this.#approved, await connection.list())
    this.#same = new Set(tools.map(({ name }) => name))
    if (pending.length === 0) return
    this.#options.pins.save(this.server, { tools: this.#approved, pending })
    const names = pending.map(({ name }) => plainText(name, 60)).join(', ')
    this.#options.tell(
      `The MCP server ${this.server.name} has new or changed tools, which agents cannot use yet: ${names}. Run "cadre mcp approve ${this.server.name}" to see them.`,
    )
  }

  #connect(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error('the run has ended'))
    if (this.#connection !== undefined) return this.#connection
    const wait = this.#nextStart - performance.now()
    if (wait > 0)
      return Promise.reject(
        new Error(`it failed ${this.#failures} times. Cadre starts it again in ${Math.ceil(wait / 1000)} s`),
      )
    const connection = this.#start()
    this.#connection = connection
    connection.then(
      () => {
        this.#failures = 0
      },
      () => this.#forget(connection, true),
    )
    return connection
  }

  async #start(): Promise<Connection> {
    const { values, elicit, startLimit, authOf } = this.#options
    const expanded = expandServer(this.server, values)
    if (expanded.kind === 'unresolved')
      throw new Error(
        `${expanded.references.join(', ')} in ${this.server.file} ${expanded.references.length === 1 ? 'has' : 'have'} no value`,
      )
    const auth = authOf?.(this.server)
    const life = ++this.#life
    return connectServer(expanded.reach, {
      env: values.env,
      workspace: values.workspace,
      elicit,
      ...(startLimit !== undefined && { startLimit }),
      ...(auth && { auth }),
      onChanged: () => {
        this.#same = undefined
      },
      onClosed: () => {
        if (life === this.#life) this.#forget(this.#connection, false)
      },
    })
  }

  /** The next call starts the server again. */
  #forget(connection: Promise<Connection> | undefined, failed: boolean): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#same = undefined
    if (!failed && this.#isClosed) return
    this.#failures++
    this.#nextStart = performance.now() + Math.min(60_000, failed ? 500 * 2 ** this.#failures : 0)
  }
}

function toolOf(
  definition: ToolDefinition,
  link: ServerLink,
  taken: Set<string>,
  { traceparentOf }: ServersOptions,
): Tool | string {
  const { server } = link
  const name = toolName(server.name, definition.name, taken)
  taken.add(name.toLowerCase())
  const parameters = definition.inputSchema as Tool['parameters']
  try {
    return defineTool<object>({
      name,
      description:
        plainText(definition.description ?? definition.title ?? '', 2_000) ||
        `${definition.name} of ${server.name}`,
      class: 'other',
      effect: effectOf(server, definition),
      origin: 'server',
      server: {
        name: server.name,
        tool: definition.name,
        ...(server.agent !== undefined && { agent: server.agent }),
      },
      parameters,
      input: inputOf(parameters),
      async run(input, context, signal) {
        const connection = await link.for(definition.name)
        if (typeof connection === 'string') return { content: connection, failed: true }
        const limits = {
          signal,
          idleLimit: server.timeout ?? idleLimit,
          totalLimit,
          traceparent: traceparentOf?.(context),
        }
        return resultOf(await connection.call(definition.name, input, limits))
      },
    }) as Tool
  } catch (error) {
    return `Agents cannot use the tool ${plainText(definition.name, 60)} of the MCP server ${server.name}: ${messageOf(error)}`
  }
}

function inputOf(schema: Tool['parameters']): StandardSchema<object> {
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      validate(value) {
        const issues = checkSchema(schema, value)
        return issues.length > 0 ? { issues } : { value: (value ?? {}) as object }
      },
    },
  }
}
