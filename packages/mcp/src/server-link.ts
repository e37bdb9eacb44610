/**
 * Owns a run's connection to one server, which all sessions in the run share.
 *
 * 1. At most one connection is open or being opened. It starts with the first call, or to read the tools of a server for the first time.
 * 2. A call reaches the server only if its tool's definition is approved: the server's list is compared after each
 *    start, and again after the server reports a change.
 * 3. After a failed start, the next one waits longer each time.
 * 4. After `close`, nothing starts, and all of the server's processes have ended.
 */
import { matchesWildcard, plainText } from '@cadre/core'
import type { Secrets } from '@cadre/home'
import { type ApprovedToolStore, compareWithApproved } from './approved-tools/approved-tool-store.ts'
import { fingerprintTool, type ServerToolDefinition } from './approved-tools/fingerprint-tool.ts'
import { storedAuth } from './auth/stored-auth.ts'
import { inputAccount } from './auth/stored-sign-in.ts'
import { expandServer, inputsOf, type VariableValues } from './config/expand-server.ts'
import type { ServerAddress, ServerConfig, ServerProgram } from './config/server-config.ts'
import { type Connection, type ConnectOptions, connectServer } from './connect/connect-server.ts'

export interface LinkOptions {
  readonly approvedTools: ApprovedToolStore
  readonly values: Omit<VariableValues, 'input'>
  /** Contains the `${input:…}` values and the sign-ins. */
  readonly secrets: Secrets
  /** How a server's program starts. Default: in the workspace, unchanged. */
  readonly startOf?:
    | ((
        server: ServerConfig,
      ) => Pick<ConnectOptions, 'launch' | 'cwd'> & Partial<Pick<ConnectOptions, 'env'>>)
    | undefined
  readonly elicitOf?: ((server: ServerConfig) => ConnectOptions['elicit']) | undefined
  readonly startLimit?: number | undefined
  /** Tells the user something, in one sentence. */
  readonly tell: (message: string) => void
}

/** If a server ran at least this long before it ended, it may restart immediately. */
const steadyAfter = 30_000

export class ServerLink {
  readonly server: ServerConfig
  readonly #options: LinkOptions
  readonly #stop = new AbortController()
  #approved: readonly ServerToolDefinition[] = []
  #hasApprovedTools = false
  /** The names of the approved tools that the server still lists without a change. Unknown until the first list. */
  #same: Promise<ReadonlySet<string>> | undefined
  #connection: Promise<Connection> | undefined
  #failures = 0
  #nextStart = 0
  #readySince = 0
  /** The number of starts. The end of an earlier connection does not affect the current one. */
  #life = 0
  /** Resolves when the processes of earlier connections have ended. */
  #ended: Promise<unknown> = Promise.resolve()

  constructor(server: ServerConfig, options: LinkOptions) {
    this.server = server
    this.#options = options
    const stored = options.approvedTools.of(server)
    if (stored === undefined) return
    this.#approved = stored.tools
    this.#hasApprovedTools = true
  }

  /** False if no tools were approved yet. */
  get hasApprovedTools(): boolean {
    return this.#hasApprovedTools
  }

  /** The approved tools that the configuration selects. */
  get tools(): readonly ServerToolDefinition[] {
    return this.#approved.filter(({ name }) =>
      this.server.tools.some((pattern) => matchesWildcard(pattern, name)),
    )
  }

  /** Approves the tools of a server that has no approved tools yet. Returns a sentence for the user. */
  async approveFirstList(): Promise<string> {
    const { approvedTools } = this.#options
    const connection = await this.#connect()
    const listed = await connection.list()
    approvedTools.save(this.server, { tools: listed, pending: [] })
    this.#approved = listed
    this.#hasApprovedTools = true
    this.#same = Promise.resolve(new Set(listed.map(({ name }) => name)))
    const count = listed.length === 1 ? 'its tool' : `its ${listed.length} tools`
    return `This is the first use of the MCP server ${this.server.name}, so Cadre approved ${count}. Later changes need your approval.`
  }

  /** The connection for a call to this tool, or the reason why it must not be called. */
  async connectionFor(tool: string): Promise<Connection | string> {
    const { name } = this.server
    const connection = await this.#connect()
    // Another change may arrive while the list is read.
    for (let tries = 0; tries < 3; tries++) {
      this.#same ??= this.#compare(connection)
      const compared = this.#same
      compared.catch(() => {
        if (this.#same === compared) this.#same = undefined
      })
      const same = await compared
      if (this.#same !== compared) continue
      if (same.has(tool)) return connection
      return `The MCP server ${name} has changed the definition of ${plainText(tool, 100)}, or removed it, since it was approved. A person can see the difference with "cadre mcp approve ${name}".`
    }
    return `The MCP server ${name} keeps changing its tools, so Cadre does not call it.`
  }

  async close(): Promise<void> {
    this.#stop.abort()
    const connection = await this.#connection?.catch(() => undefined)
    await Promise.all([connection?.close(), this.#ended])
  }

  async #compare(connection: Connection): Promise<ReadonlySet<string>> {
    const { approvedTools, tell } = this.#options
    const listed = await connection.list()
    const { tools, pending } = compareWithApproved(this.#approved, listed)
    const saved = approvedTools.of(this.server)
    // A person may have approved more in the meantime, which this run does not use.
    const left = saved === undefined ? [] : compareWithApproved(saved.tools, listed).pending
    if (saved !== undefined && textOf(saved.pending) !== textOf(left))
      approvedTools.save(this.server, { tools: saved.tools, pending: left })
    if (pending.length > 0) {
      const names = pending.map(({ name }) => plainText(name, 60))
      const shown = names.length > 10 ? [...names.slice(0, 10), '…'] : names
      tell(
        `The MCP server ${this.server.name} has new or changed tools, which agents cannot use yet: ${shown.join(', ')}. Run "cadre mcp approve ${this.server.name}" to see them.`,
      )
    }
    return new Set(tools.map(({ name }) => name))
  }

  #connect(): Promise<Connection> {
    if (this.#stop.signal.aborted) return Promise.reject(new Error('the run has ended'))
    if (this.#connection !== undefined) return this.#connection
    const wait = this.#nextStart - performance.now()
    if (wait > 0) {
      const times = this.#failures === 1 ? 'once' : `${this.#failures} times`
      const seconds = Math.ceil(wait / 1000)
      return Promise.reject(
        new Error(
          `the server failed ${times}. Cadre waits at least ${seconds} s before it restarts the server`,
        ),
      )
    }
    const connection = this.#start()
    this.#connection = connection
    connection.then(
      () => {
        this.#readySince = performance.now()
      },
      () => this.#forget(connection, true),
    )
    return connection
  }

  async #start(): Promise<Connection> {
    const { values, elicitOf, startOf, startLimit, secrets } = this.#options
    const { server } = this
    const reach = await this.#reach()
    const life = ++this.#life
    const auth = reach.kind === 'address' ? storedAuth(server, reach, secrets) : undefined
    return connectServer(reach, {
      env: values.env,
      workspace: values.workspace,
      ...startOf?.(server),
      elicit: elicitOf?.(server),
      signal: this.#stop.signal,
      ...(startLimit !== undefined && { startLimit }),
      ...(auth && { auth }),
      onChanged: () => {
        if (life === this.#life) this.#same = undefined
      },
      onClosed: () => {
        if (life === this.#life) this.#forget(this.#connection, false)
      },
    })
  }

  /** The configuration with the values of its references. */
  async #reach(): Promise<ServerProgram | ServerAddress> {
    const { values, secrets } = this.#options
    return resolveReferences(this.server, values, secrets)
  }

  /** The next call starts the server again. */
  #forget(connection: Promise<Connection> | undefined, failed: boolean): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#same = undefined
    // A server that has ended may have left processes behind.
    const ended = connection?.then((one) => one.close()).catch(() => {})
    this.#ended = Promise.all([this.#ended, ended])
    if (this.#stop.signal.aborted) return
    this.#failures = !failed && performance.now() - this.#readySince > steadyAfter ? 0 : this.#failures + 1
    // A server that repeatedly ends immediately must wait, too.
    this.#nextStart =
      performance.now() + (failed || this.#failures > 3 ? Math.min(60_000, 250 * 2 ** this.#failures) : 0)
  }
}

function textOf(tools: readonly ServerToolDefinition[]): string {
  return JSON.stringify(tools.map((tool) => fingerprintTool(tool)))
}

/** Replaces all references in a server's configuration. Rejects with a sentence that names each reference without a value, and the fix. */
export async function resolveReferences(
  server: ServerConfig,
  values: Omit<VariableValues, 'input'>,
  secrets: Secrets,
): Promise<ServerProgram | ServerAddress> {
  const inputs = new Map<string, string | undefined>()
  for (const id of inputsOf(server)) inputs.set(id, await secrets.read(inputAccount(server, id)))
  const expanded = expandServer(server, { ...values, input: (id) => inputs.get(id) })
  if (expanded.kind === 'expanded') return expanded.reach
  const { references } = expanded
  const asked = references.some((reference) => reference.startsWith(`\${input:`))
  const others = references.filter((reference) => !reference.startsWith(`\${input:`))
  const fixes = [
    ...(asked ? [`Run "cadre mcp login ${server.name}" to enter the values`] : []),
    ...(others.length > 0 ? ['Set the environment variables, or change the file'] : []),
  ]
  throw new Error(
    `${references.join(', ')} in ${server.file} ${references.length === 1 ? 'has' : 'have'} no value. ${fixes.join('. ')}`,
  )
}
