/**
 * One SDK session, turned inside out. The runtime runs the loop of a turn; this holds it wherever it needs a result, and hands what it
 * did since as one round to whoever asks.
 *
 * 1. Nothing runs here. Our tools have no handlers: the runtime waits for the result of a call until `ask` brings it.
 * 2. Calls of anything else are denied, by the hook and, should the runtime ask, by the permission handler.
 * 3. The runtime gets no further than the round that was taken, except where it has answered a call itself: `#rounds` keeps what it did.
 * 4. A conversation that was closed never reports anything again, whatever events arrive.
 */

import { randomUUID } from 'node:crypto'
import type { Message, ModelRequest, Reply, ToolOffer, WireCall } from '@cadre/core'
import {
  type Continuation,
  continuationOf,
  type Known,
  messageOf,
  openingOf,
  type Result,
} from './continuation.ts'
import type { RoundCall, ToolOwner } from './message-calls.ts'
import { type Round, RoundReader } from './round-reader.ts'
import type { Runtime } from './runtime.ts'
import type {
  SdkAnswer,
  SdkEvent,
  SdkPermission,
  SdkPermissionRequest,
  SdkPreToolCall,
  SdkPreToolUse,
  SdkSession,
} from './sdk-types.ts'
import { type Setup, sessionConfig, subagentTool } from './session-config.ts'

/** Who asks, and hears what happens until the round is there. */
export interface Asker {
  readonly text: (delta: string) => void
  readonly notice: (code: string, message: string) => void
  /** The runtime did something. */
  readonly alive: () => void
}

export class SdkConversation {
  readonly #id = randomUUID()
  readonly #runtime: Runtime
  readonly #setup: Setup
  readonly #system: string
  readonly #tools: readonly ToolOffer[]
  readonly #names: ReadonlySet<string>
  readonly #reader: RoundReader
  readonly #rounds: Round[] = []
  readonly #noticed = new Set<string>()
  #session: SdkSession | undefined
  #known: Known | undefined
  #calls: readonly RoundCall[] = []
  /** Denials that wait until the round they are in was taken and answered. */
  #denials: (() => void)[] = []
  /** Rounds with calls that the loop has not answered. */
  #unanswered = 0
  #asker: Asker | undefined
  #taken: ((round: Round) => void) | undefined
  #isClosed = false

  constructor(runtime: Runtime, setup: Setup, { system, tools }: ModelRequest) {
    this.#runtime = runtime
    this.#setup = setup
    this.#system = system
    this.#tools = tools
    this.#names = new Set(tools.map(({ name }) => name))
    this.#reader = new RoundReader({
      session: this.#id,
      multiplier: setup.multiplier,
      ownerOf: (name) => this.#ownerOf(name),
      text: (delta) => this.#asker?.text(delta),
      notice: (code, message) => this.#notice(code, message),
      round: (round) => this.#tell(round),
      refuse: (request) => this.#refuse(request),
    })
  }

  get runtime(): Runtime {
    return this.#runtime
  }

  /** What is new in this question, when it continues this conversation. */
  continues({ system, tools, messages }: ModelRequest): Continuation | undefined {
    if (this.#isClosed || this.#runtime.isEnded || this.#known === undefined) return undefined
    if (system !== this.#system || tools !== this.#tools) return undefined
    const next = continuationOf(this.#known, messages)
    // The turn is running on by itself: nothing tells whether the model would still see what was said since.
    const runsOn = this.#calls.length > 0 && this.#calls.every((call) => this.#isAnswered(call))
    return next !== undefined && runsOn && next.said.length > 0 ? undefined : next
  }

  /** Starts the conversation, or brings what is new. Rejects when the runtime refuses it; never resolves when it ends or hangs. */
  async ask(messages: readonly Message[], next: Continuation | undefined, asker: Asker): Promise<Round> {
    this.#asker = asker
    if (next === undefined) await this.#begin(messages)
    else await this.#answer(next)
    const round = await this.#next()
    this.#asker = undefined
    if (round.kind === 'round') this.#calls = round.calls
    return round
  }

  /** Remembers the reply that the loop was given for these messages. */
  given(messages: readonly Message[], reply: Reply): void {
    this.#known = { messages: [...messages], reply }
  }

  /** Must not throw. The runtime is told, and not waited for. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#asker = undefined
    this.#release()
    const session = this.#session
    if (session === undefined || this.#runtime.isEnded) return
    session
      .abort()
      .catch(() => {})
      .then(() => this.#runtime.client.deleteSession(session.sessionId))
      .catch(() => {})
  }

  async #begin(messages: readonly Message[]): Promise<void> {
    const session = await this.#runtime.client.createSession(
      sessionConfig({
        id: this.#id,
        folder: this.#runtime.folder,
        setup: this.#setup,
        system: this.#system,
        tools: this.#tools,
        onEvent: (event) => this.#hear(event),
        onPermissionRequest: (request) => this.#permit(request),
        onPreToolUse: (call) => this.#judge(call),
      }),
    )
    this.#session = session
    if (this.#isClosed) {
      await this.#runtime.client.deleteSession(session.sessionId)
      return
    }
    await session.send(openingOf(messages))
  }

  async #answer({ results, said }: Continuation): Promise<void> {
    const session = this.#session as SdkSession
    const calls = this.#calls
    this.#calls = []
    if (calls.length > 0) this.#unanswered--
    if (said.length > 0) {
      const message = messageOf(said)
      await session.send(calls.length === 0 ? message : { ...message, mode: 'immediate' })
    }
    const answers = calls.flatMap(({ request }, index) =>
      request === undefined ? [] : [answerOf(request, results[index] as Result)],
    )
    await Promise.all(answers.map((answer) => session.rpc.tools.handlePendingToolCall(answer)))
    this.#release()
  }

  #next(): Promise<Round> {
    const ready = this.#rounds.shift()
    if (ready !== undefined) return Promise.resolve(ready)
    return new Promise((resolve) => {
      this.#taken = resolve
    })
  }

  #tell(round: Round): void {
    if (this.#isClosed) return
    if (round.kind === 'round' && round.calls.length > 0) this.#unanswered++
    const taken = this.#taken
    this.#taken = undefined
    if (taken === undefined) this.#rounds.push(round)
    else taken(round)
  }

  #ownerOf(name: string): ToolOwner {
    if (this.#names.has(name)) return 'ours'
    return this.#setup.subagents && name === subagentTool ? 'runtime' : 'nobody'
  }

  #isAnswered({ name, request }: RoundCall): boolean {
    return this.#names.has(name) && request === undefined
  }

  #notice(code: string, message: string): void {
    if (this.#noticed.has(`${code} ${message}`)) return
    this.#noticed.add(`${code} ${message}`)
    this.#asker?.notice(code, message)
  }

  #refuse(requestId: string): void {
    const result = {
      textResultForLlm: 'Cadre denied this call, because it is not part of any reply.',
      resultType: 'failure',
    } as const
    this.#session?.rpc.tools.handlePendingToolCall({ requestId, result }).catch(() => {})
  }

  #release(): void {
    const denials = this.#denials
    this.#denials = []
    for (const deny of denials) deny()
  }

  #hear(event: SdkEvent): void {
    if (this.#isClosed) return
    this.#asker?.alive()
    this.#reader.push(event)
  }

  #permit({ kind, toolName = '' }: SdkPermissionRequest): SdkPermission {
    return kind === 'custom-tool' && this.#names.has(toolName)
      ? { kind: 'approve-once' }
      : { kind: 'reject', feedback: denial(toolName || kind) }
  }

  async #judge({ toolName, toolArgs, sessionId }: SdkPreToolCall): Promise<SdkPreToolUse> {
    const owner = this.#ownerOf(toolName)
    if (owner === 'ours') return { permissionDecision: 'allow' }
    if (owner === 'runtime') return judgeSubagent(toolArgs)
    // Without a call that holds the runtime, it would ask the model again before the loop has seen this round.
    const isHeld = sessionId !== this.#id || this.#reader.waitsForUs
    if (!this.#isClosed && this.#unanswered > 0 && !isHeld)
      await new Promise<void>((resolve) => this.#denials.push(resolve))
    return { permissionDecision: 'deny', permissionDecisionReason: denial(toolName) }
  }
}

/** The calls of a round, as the loop takes them. */
export function wireCalls(calls: readonly RoundCall[], hide: (input: string) => string): WireCall[] {
  return calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: hide(text) },
  }))
}

/** One in the background would outlive the turn that started it, and its calls would belong to no reply. */
function judgeSubagent(input: unknown): SdkPreToolUse {
  const mode = (input as { readonly mode?: unknown } | null | undefined)?.mode
  if (mode === undefined || mode === 'sync') return { permissionDecision: 'allow' }
  return { permissionDecision: 'deny', permissionDecisionReason: 'Only mode "sync" is allowed.' }
}

function denial(name: string): string {
  return `This session has no tool "${name}". Use only the tools in your list.`
}

function answerOf(requestId: string, { content, images = [] }: Result): SdkAnswer {
  const binaries = images.map(({ mime, data }) => ({ data, mimeType: mime, type: 'image' as const }))
  return {
    requestId,
    result: {
      textResultForLlm: content,
      resultType: 'success',
      ...(binaries.length > 0 && { binaryResultsForLlm: binaries }),
    },
  }
}
