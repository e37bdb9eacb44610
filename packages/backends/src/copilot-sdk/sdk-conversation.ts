/**
 * One SDK session, inverted. The runtime runs the loop of a turn; this class pauses it wherever it needs a result, and
 * returns what it did since as one round.
 *
 * 1. Nothing runs here. Cadre's tools have no handlers: the runtime waits for the result of a call until `ask` provides it.
 * 2. All other calls are denied, by the hook and, if the runtime asks, by the permission handler.
 * 3. The runtime does not continue past the round that was taken, unless it answered a call itself: `#rounds` keeps what it
 *    did.
 * 4. A closed conversation never reports anything again, whatever events arrive.
 */

import { randomUUID } from 'node:crypto'
import type { Message, ModelRequest, Reply, ToolOffer, WireCall } from '@cadre/core'
import {
  type Continuation,
  continuationOf,
  type KnownConversation,
  openingMessage,
  type SentContent,
  type ToolResultMessage,
  userMessage,
} from '../continuation.ts'
import type { RoundCall, ToolOwner } from './message-calls.ts'
import { type Round, RoundReader } from './round-reader.ts'
import type { CopilotRuntime } from './runtime.ts'
import type {
  SdkAttachment,
  SdkEvent,
  SdkMessage,
  SdkPermission,
  SdkPermissionRequest,
  SdkPreToolCall,
  SdkPreToolUse,
  SdkSession,
  SdkToolResult,
} from './sdk-types.ts'
import { type SdkSessionSetup, sessionConfig, subagentTool } from './session-config.ts'

/** The caller, which receives events until the round is complete. */
export interface RoundListener {
  readonly text: (delta: string) => void
  readonly notice: (code: string, message: string) => void
  /** The runtime did something. */
  readonly alive: () => void
}

export class SdkConversation {
  readonly #id = randomUUID()
  readonly #runtime: CopilotRuntime
  readonly #setup: SdkSessionSetup
  readonly #system: string
  readonly #tools: readonly ToolOffer[]
  readonly #names: ReadonlySet<string>
  readonly #reader: RoundReader
  readonly #rounds: Round[] = []
  readonly #noticed = new Set<string>()
  #session: SdkSession | undefined
  #known: KnownConversation | undefined
  #calls: readonly RoundCall[] = []
  /** Denials that wait until their round was taken and answered. */
  #denials: (() => void)[] = []
  /** The number of rounds with calls that the loop has not answered. */
  #unanswered = 0
  #asker: RoundListener | undefined
  #taken: ((round: Round) => void) | undefined
  #isClosed = false

  constructor(runtime: CopilotRuntime, setup: SdkSessionSetup, { system, tools }: ModelRequest) {
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

  get runtime(): CopilotRuntime {
    return this.#runtime
  }

  /** Returns what is new in this request, if it continues this conversation. */
  continues({ system, tools, messages }: ModelRequest): Continuation | undefined {
    if (this.#isClosed || this.#runtime.isEnded || this.#known === undefined) return undefined
    if (system !== this.#system || tools !== this.#tools) return undefined
    const next = continuationOf(this.#known, messages)
    // The turn continues without Cadre, so it is unknown whether the model would still see new messages.
    const runsOn = this.#calls.length > 0 && this.#calls.every((call) => this.#isAnswered(call))
    return next !== undefined && runsOn && next.said.length > 0 ? undefined : next
  }

  /**
   * Starts the conversation, or sends what is new. Rejects if the runtime refuses it; never resolves if the runtime exits
   * or hangs.
   */
  async ask(
    messages: readonly Message[],
    next: Continuation | undefined,
    asker: RoundListener,
  ): Promise<Round> {
    this.#asker = asker
    if (next === undefined) await this.#begin(messages)
    else await this.#answer(next)
    const round = await this.#next()
    this.#asker = undefined
    if (round.kind === 'round') this.#calls = round.calls
    return round
  }

  /** Remembers the reply to these messages. */
  given(messages: readonly Message[], reply: Reply): void {
    this.#known = { messages: [...messages], reply }
  }

  /** Must not throw. Notifies the runtime without waiting. */
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
    await session.send(sdkMessage(openingMessage(messages)))
  }

  async #answer({ results, said }: Continuation): Promise<void> {
    const session = this.#session as SdkSession
    const calls = this.#calls
    this.#calls = []
    if (calls.length > 0) this.#unanswered--
    if (said.length > 0) {
      const message = sdkMessage(userMessage(said))
      await session.send(calls.length === 0 ? message : { ...message, mode: 'immediate' })
    }
    const answers = calls.flatMap(({ request }, index) =>
      request === undefined ? [] : [answerOf(request, results[index] as ToolResultMessage)],
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
    // Without a pending call, the runtime would request the model again before the loop has seen this round.
    const isHeld = sessionId !== this.#id || this.#reader.waitsForUs
    if (!this.#isClosed && this.#unanswered > 0 && !isHeld)
      await new Promise<void>((resolve) => this.#denials.push(resolve))
    return { permissionDecision: 'deny', permissionDecisionReason: denial(toolName) }
  }
}

/** The calls of a round, in the format of the loop. */
export function wireCalls(calls: readonly RoundCall[], hide: (input: string) => string): WireCall[] {
  return calls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: hide(text) },
  }))
}

function sdkMessage({ text: prompt, images }: SentContent): SdkMessage {
  const attachments = images.map(({ mime, data }): SdkAttachment => ({ type: 'blob', data, mimeType: mime }))
  return attachments.length === 0 ? { prompt } : { prompt, attachments }
}

/** A background subagent would outlive its turn, and its calls would not be part of any reply. */
function judgeSubagent(input: unknown): SdkPreToolUse {
  const mode = (input as { readonly mode?: unknown } | null | undefined)?.mode
  if (mode === undefined || mode === 'sync') return { permissionDecision: 'allow' }
  return { permissionDecision: 'deny', permissionDecisionReason: 'Only mode "sync" is allowed.' }
}

function denial(name: string): string {
  return `This session has no tool "${name}". Use only the tools in your list.`
}

function answerOf(requestId: string, { content, images = [] }: ToolResultMessage): SdkToolResult {
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
