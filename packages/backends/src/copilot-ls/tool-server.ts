/**
 * A language server with the tools of one set, and its turns.
 *
 * 1. The server has only the tools of the set: its own are removed before the first conversation, and a server that keeps
 *    one is not used.
 * 2. A call belongs to the turn that reported its conversation and turn; others are refused. Nothing here runs a tool.
 * 3. A turn is known by its token before its request is sent, so no call can arrive earlier.
 */

import { tokenHider } from '../hide-tokens.ts'
import { LsTurn, refusedAnswer } from './ls-turn.ts'
import type { OpenedServer, PooledServer } from './server-pool.ts'
import type { ServerOptions, ServerProcess, ServerStart } from './server-process.ts'
import { startServer } from './server-process.ts'
import type { ToolSet } from './tool-set.ts'
import { invalidResponseMessage, readCall, readPlace, readProgress, readTools } from './wire-readers.ts'
import type { ProgressValue, ToolInvocation } from './wire-types.ts'

export interface ToolServerOptions extends Pick<ServerOptions, 'command' | 'env' | 'clock' | 'startTimeout'> {
  readonly notified?: (method: string, params: unknown) => void
  /** A turn or the process has ended, which others may be waiting for. */
  readonly changed?: () => void
}

/** Disables everything besides conversations: hooks, plugins, agents, instructions and skills of folders. */
const settings = {
  github: {
    copilot: {
      agent: {
        editorHandlesAllConfirmation: true,
        maxToolCallingLoop: 500,
        autoCompress: false,
        enableHooks: false,
        enableSkills: false,
        enableOrgSkills: false,
        enablePlugins: false,
        enableCustomAgents: false,
        enableOrgCustomAgents: false,
        useAgentsMdFile: false,
        useNestedAgentsMdFiles: false,
        useClaudeMdFile: false,
        useNestedClaudeMdFiles: false,
      },
    },
  },
  telemetry: { telemetryLevel: 'off' },
}

let tokens = 0

export class ToolServer implements PooledServer {
  /** Undefined until tools are registered: such a server can still get any set. */
  tools: ToolSet | undefined
  readonly process: ServerProcess
  readonly #options: ToolServerOptions
  readonly #running = new Set<LsTurn>()
  readonly #byToken: Map<string | number, LsTurn>
  readonly #byConversation: Map<string, LsTurn>

  private constructor(process: ServerProcess, options: ToolServerOptions, routes: Routes) {
    this.process = process
    this.#options = options
    this.#byToken = routes.byToken
    this.#byConversation = routes.byConversation
    routes.isOwnTool = (name) => this.tools?.names.has(name) === true
    routes.stop = (turn) => this.#sendCancel(turn)
    void process.ended.then(() => options.changed?.())
  }

  static async open(options: ToolServerOptions): Promise<OpenedServer<ToolServer>> {
    const routes: Routes = {
      byToken: new Map(),
      byConversation: new Map(),
      isOwnTool: () => false,
      stop: () => {},
    }
    const hide = tokenHider(options.env)
    const started: ServerStart = await startServer({
      ...options,
      capabilities: {},
      settings,
      requested: (method, params) => answerTo(method, params, routes),
      progressed: (token, value) => route(token, readProgress(value, hide), routes),
    })
    if (started.kind === 'failed') return { ...started, isTransient: true }
    return { kind: 'opened', server: new ToolServer(started.server, options, routes) }
  }

  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** The sessions with an open turn. */
  get sessions(): string[] {
    return [...this.#running].map(({ session }) => session)
  }

  /** Registers these tools, and unregisters the built-in tools of the language server. Resolves with a sentence about the error, if any. */
  async register(set: ToolSet): Promise<string | undefined> {
    const { clock, startTimeout = 60_000 } = this.#options
    const cancelTimer = clock.after(startTimeout, () => this.process.kill())
    const problem = await this.#exchangeTools(set)
    cancelTimer()
    if (problem === undefined) this.tools = set
    return problem
  }

  async #exchangeTools(set: ToolSet): Promise<string | undefined> {
    const { tools } = set
    const given = await this.process.request('conversation/registerTools', { tools }, readTools)
    if (given.kind !== 'answer')
      return `the Copilot language server rejected this agent's tools: ${given.message}`
    let present = given.value
    for (const pass of [1, 2, 3]) {
      const others = present.filter(({ type }) => type !== 'client').map(({ id }) => id)
      if (others.length === 0) break
      const left = await this.process.request('conversation/unregisterTools', { toolIds: others }, readTools)
      if (left.kind !== 'answer')
        return `cannot turn off the Copilot language server's built-in tools: ${left.message}`
      present = left.value
      if (pass === 3 && present.some(({ type }) => type !== 'client'))
        return 'the Copilot language server did not turn off its built-in tools, so Cadre cannot control it.'
    }
    const names = new Set(present.map(({ name }) => name))
    const missing = tools.filter(({ name }) => !names.has(name)).map(({ name }) => name)
    const extra = [...names].filter((name) => !set.names.has(name))
    if (missing.length > 0)
      return `the Copilot language server did not register these tools: ${missing.join(', ')}.`
    if (extra.length > 0)
      return `the Copilot language server has tools that Cadre did not register: ${extra.join(', ')}.`
    return undefined
  }

  /** Starts a turn: `conversation/create`, or `conversation/turn` in an existing conversation. */
  begin(
    method: 'conversation/create' | 'conversation/turn',
    session: string,
    params: { readonly [name: string]: unknown },
  ): LsTurn {
    tokens += 1
    const { clock } = this.#options
    const turn = new LsTurn({ token: `cadre-${tokens}`, session, method, now: () => clock.now() })
    this.#running.add(turn)
    this.#byToken.set(turn.token, turn)
    this.#options.changed?.()
    void this.process.request(method, { ...params, workDoneToken: turn.token }).then((answer) => {
      this.#running.delete(turn)
      this.#byToken.delete(turn.token)
      const id = turn.conversationId
      if (id !== undefined && this.#byConversation.get(id) === turn) this.#byConversation.delete(id)
      turn.answered(answer)
      if (turn.isAbandoned && id !== undefined) this.destroy(id)
      this.#options.changed?.()
    })
    return turn
  }

  /** Stops a turn, without waiting for the server. */
  cancel(turn: LsTurn): void {
    if (!turn.isOver) this.#sendCancel(turn)
    turn.abandon()
    // An abandoned turn does not block the process.
    this.#running.delete(turn)
    this.#options.changed?.()
  }

  #sendCancel({ token }: LsTurn): void {
    this.process.notify('window/workDoneProgress/cancel', { token })
  }

  destroy(conversationId: string): void {
    void this.process.request('conversation/destroy', { conversationId })
  }
}

interface Routes {
  readonly byToken: Map<string | number, LsTurn>
  readonly byConversation: Map<string, LsTurn>
  isOwnTool: (name: string) => boolean
  stop: (turn: LsTurn) => void
}

function route(
  token: string | number,
  value: ProgressValue | undefined,
  { byToken, byConversation, stop }: Routes,
): void {
  const turn = byToken.get(token)
  if (turn === undefined) return
  if (value === undefined) {
    turn.fail(invalidResponseMessage('$/progress'))
    return
  }
  turn.progressed(value)
  const { kind, conversationId, parentTurnId } = value
  if (kind !== 'begin' || conversationId === undefined || parentTurnId !== undefined) return
  byConversation.set(conversationId, turn)
  // It was cancelled before the server knew it, so the cancellation must be sent now.
  if (turn.isAbandoned) stop(turn)
}

function answerTo(method: string, params: unknown, routes: Routes): Promise<unknown> | undefined {
  const place = readPlace(params)
  const turn = place && turnOf(place, routes)
  const isOwn = typeof place?.name === 'string' && routes.isOwnTool(place.name)
  switch (method) {
    case 'conversation/invokeClientTool': {
      const call = readCall(params)
      if (call === undefined) turn?.fail(invalidResponseMessage(method))
      if (turn === undefined || call === undefined || !isOwn)
        return Promise.resolve(
          refusedAnswer('Cadre did not run this call, because it has no such conversation or tool.'),
        )
      return turn.called(call)
    }
    case 'conversation/invokeClientToolConfirmation': {
      // The gate evaluates each call later; this only rejects calls that could not reach it.
      const result = turn !== undefined && isOwn ? 'accept' : 'dismiss'
      return Promise.resolve([{ result }, null])
    }
    // Closes connections that a client would hold: there are none.
    case 'copilot/fetchDisconnectAll':
      return Promise.resolve(null)
    default:
      return undefined
  }
}

function turnOf(
  { conversationId, turnId }: Pick<ToolInvocation, 'conversationId' | 'turnId'>,
  { byConversation }: Routes,
): LsTurn | undefined {
  const turn = byConversation.get(conversationId)
  return turn !== undefined && !turn.isAbandoned && turn.reader.turnId === turnId ? turn : undefined
}
