/**
 * One session of an agent program, inverted. The program runs the loop of a turn; this class stops it wherever it needs
 * Cadre: at a call of a tool, and at a permission request. Owns the process, the tool server and the held calls.
 *
 * 1. Nothing runs here. The program waits for the answer to a call until `answer` provides the result.
 * 2. Every held call is answered exactly once: with its result, or because the conversation is closed.
 * 3. A program that leaves Cadre's control is stopped, and the turn fails: it switched its questions off, or it completed a
 *    tool call that was none of Cadre's.
 * 4. A closed conversation never reports anything again.
 */

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Clock, Message, ModelRequest, Reply, ToolOffer, WireCall } from '@cadre/core'
import { childEnvironment, type Environment } from '../child-environment.ts'
import {
  type Continuation,
  continuationOf,
  type KnownConversation,
  openingMessage,
  type SentContent,
  userMessage,
} from '../continuation.ts'
import { objectOf } from '../json-values.ts'
import { createPrivateFolder, removeFolder } from '../private-folder.ts'
import type { ProgramCalls } from '../program-calls.ts'
import { AgentProcess } from './agent-process.ts'
import type { Confine } from './confine.ts'
import { confineProgram } from './confine-program.ts'
import { exposedTools } from './exposed-tools.ts'
import type { FoundProgram } from './find-agent-program.ts'
import type { Secrets } from './hide-secrets.ts'
import { methodNotFound, PeerError } from './json-lines-peer.ts'
import { killMarkedProcesses } from './kill-marked-processes.ts'
import { offerTools, type ToolAnswer, type ToolServerHandle } from './offer-tools.ts'
import { findControlBreach, openAcpSession } from './open-acp-session.ts'
import { callId, PendingCalls } from './pending-calls.ts'
import { readPermission } from './permission-call.ts'
import type { PreparedProgram } from './program.ts'
import { promptBlocks } from './prompt-blocks.ts'
import { RedactedStream } from './redacted-stream.ts'
import type { Listener, TurnEvent } from './turn-event.ts'
import { readUpdate } from './updates.ts'
import { withoutProxy } from './without-proxy.ts'

export interface ConversationOptions {
  readonly found: FoundProgram
  readonly model: string | undefined
  readonly env: Environment
  readonly clock: Clock
  readonly programCalls: ProgramCalls | undefined
  /** Starts programs in a sandbox. Absent: nothing can confine them. */
  readonly confine: Confine | undefined
  /** The user accepts the program without a sandbox. */
  readonly withoutSandbox: boolean
  readonly secrets: Secrets
}

export type Started =
  | { readonly kind: 'started'; readonly conversation: AcpConversation }
  | { readonly kind: 'failed'; readonly message: string; readonly isTransient: boolean }

/** The most characters of a turn, far more than any model writes. Limits memory. */
const maxTextLength = 10_000_000
const maxUpdates = 500_000

export class AcpConversation {
  readonly #options: ConversationOptions
  readonly #request: Pick<ModelRequest, 'session' | 'system' | 'tools'>
  readonly #calls = new PendingCalls(() => this.#happened({ kind: 'called' }))
  readonly #events: TurnEvent[] = []
  readonly #completed = new Set<string>()
  #answeredCalls = 0
  #updates = 0
  #text = ''
  #length = 0
  /** True if Cadre denied an action in this turn. Some programs then end the turn without telling their model why. */
  wasDenied = false
  /** The last piece of text of the turn. */
  lastPiece = ''
  #known: KnownConversation | undefined
  #listener: Listener | undefined
  #live: RedactedStream | undefined
  #wake: () => void = () => {}
  #process!: AgentProcess
  #prepared: PreparedProgram = {}
  #offering: ToolServerHandle | undefined
  #session = ''
  #mode: string | undefined
  #canSee = false
  #isFirst = true
  #isClosed = false
  /** When the program last did something. */
  lastEventAt: number

  private constructor(options: ConversationOptions, request: ModelRequest) {
    this.#options = options
    this.#request = request
    this.lastEventAt = options.clock.now()
  }

  /** Starts the program and its session. Never rejects. */
  static async start(
    options: ConversationOptions,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<Started> {
    const conversation = new AcpConversation(options, request)
    const stop = () => conversation.close()
    signal.addEventListener('abort', stop)
    try {
      const failure = await conversation.#open(request)
      if (failure === undefined) return { kind: 'started', conversation }
      conversation.close()
      return { kind: 'failed', ...failure }
    } catch (error) {
      conversation.close()
      const reason = error instanceof Error ? error.message : String(error)
      const message = `cannot start ${options.found.program.title}: ${options.secrets.hide(reason)}.`
      return { kind: 'failed', message, isTransient: false }
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  /** Returns what is new in this request, if it continues this conversation. */
  continues({ system, tools, messages }: ModelRequest): Continuation | undefined {
    if (this.#isClosed || !this.#process.isRunning || this.#known === undefined) return undefined
    if (system !== this.#request.system || tools !== this.#request.tools) return undefined
    if (this.#calls.isGivenUp) return undefined
    return continuationOf(this.#known, messages)
  }

  /** `undefined`: no more text of this request will follow. */
  listen(listener: Listener | undefined): void {
    this.#live?.end()
    this.#listener = listener
    const token = this.#offering === undefined ? [] : [this.#offering.token]
    this.#live = listener && new RedactedStream([...this.#options.secrets.keys, ...token], listener.text)
  }

  /** Sends the messages of a session, from the first one. */
  begin(messages: readonly Message[]): void {
    this.#prompt(openingMessage(messages))
  }

  /** Sends what is new. */
  answer(continuation: Continuation): void {
    this.lastEventAt = this.#options.clock.now()
    if (!this.#calls.answer(continuation)) this.#prompt(userMessage(continuation.said))
  }

  /** Remembers the reply to these messages. */
  given(messages: readonly Message[], reply: Reply): void {
    this.#known = { messages: [...messages], reply }
  }

  /** Returns the next event, or undefined if there is none yet. */
  next(): TurnEvent | undefined {
    return this.#events.shift()
  }

  /** `wake` is called when there may be an event. */
  onEvent(wake: () => void): void {
    this.#wake = wake
  }

  /** Only the program knows it, and a model could make it repeat its settings. */
  get #token(): string {
    return this.#offering?.token ?? '[hidden]'
  }

  /** False if the program's model worked without Cadre's tools: some programs continue if they cannot load them. */
  get hasTools(): boolean {
    const needsTools = this.#options.found.program.control === 'tools' && this.#request.tools.length > 0
    return !needsTools || this.#offering?.wasRead() === true
  }

  /** Takes the text since the last call; `null` if there is none. */
  takeText(): string | null {
    const text = this.#text
    this.#text = ''
    return text.trim() === ''
      ? null
      : this.#options.secrets.hideKeys(text).replaceAll(this.#token, '[hidden]')
  }

  /** Takes the calls that wait for a result. */
  takeCalls(): WireCall[] {
    const calls = this.#calls.take()
    for (let at = this.#events.length - 1; at >= 0; at--)
      if (this.#events[at]?.kind === 'called') this.#events.splice(at, 1)
    return calls
  }

  /** Stops the turn and ends the program. Does not wait. */
  close(): void {
    void this.end()
  }

  async end(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      this.#listener = undefined
      this.#live = undefined
      this.#events.length = 0
      if (this.#process?.isRunning && this.#session !== '')
        this.#process.peer.notify('session/cancel', { sessionId: this.#session })
      this.#calls.close()
      this.#wake()
      if (this.#session === '') this.#process?.kill('the program was no longer needed')
    }
    await Promise.all([this.#process?.stop(), this.#offering?.close()])
  }

  async #open(request: ModelRequest): Promise<{ message: string; isTransient: boolean } | undefined> {
    const { found, env, clock, model, secrets } = this.#options
    const { program } = found
    const folder = createPrivateFolder(env, 'acp', killMarkedProcesses)
    const empty = path.join(folder, 'empty')
    // A program with Cadre's tools only must find nothing in its folder to load or to run.
    const cwd = program.control === 'tools' ? empty : (request.workspace ?? empty)
    let cleanUp: (() => Promise<void>) | undefined
    try {
      const tools = exposedTools(request.tools)
      this.#offering = await offerTools({
        tools,
        clock,
        called: (offer, input, signal) => this.#called(offer, input, signal),
      })
      const names = tools.map(({ name }) => name)
      this.#prepared = program.prepare({ folder, env, tools: names, system: request.system, model })
      mkdirSync(empty, { mode: 0o700 })
      const start = {
        command: found.command,
        args: [...found.args, ...(this.#prepared.args ?? [])],
        cwd,
        env: { ...withoutProxy(childEnvironment(env, program.variables)), ...this.#prepared.env },
      }
      const { confine, withoutSandbox } = this.#options
      const confined = await confineProgram({ program, start, folder, confine, withoutSandbox }, request)
      if (confined.kind === 'refused') {
        removeFolder(folder)
        return { message: confined.reason, isTransient: false }
      }
      cleanUp = confined.cleanUp
      if (this.#isClosed) throw new Error('the request was cancelled')
      this.#process = new AgentProcess({
        title: program.title,
        ...confined,
        folder,
        clock,
        hide: secrets.hide,
        requested: (method, params) => this.#requested(method, params),
        notified: (method, params) => this.#notified(method, params),
      })
    } catch (error) {
      await cleanUp?.()
      removeFolder(folder)
      throw error
    }
    void this.#process.ended.then((message) => this.#happened({ kind: 'lost', message }))
    const opened = await openAcpSession({
      process: this.#process,
      program,
      prepared: this.#prepared,
      offering: this.#offering,
      cwd,
      needsTools: request.tools.length > 0,
      model,
      hide: secrets.hide,
    })
    if (opened.kind === 'failed') return opened
    this.#session = opened.session
    this.#mode = opened.mode
    this.#canSee = opened.canSee
    return undefined
  }

  #prompt(said: SentContent): void {
    const system = this.#isFirst && !this.#prepared.hasSystem ? this.#request.system : ''
    this.#isFirst = false
    this.#updates = 0
    this.#length = 0
    this.lastPiece = ''
    this.wasDenied = false
    this.lastEventAt = this.#options.clock.now()
    const prompt = promptBlocks(said, { system, canSee: this.#canSee })
    void this.#process.peer
      .request('session/prompt', { sessionId: this.#session, prompt })
      .then((answer) => answer.kind !== 'gone' && this.#happened({ kind: 'answered', answer }))
  }

  #called(offer: ToolOffer, input: unknown, signal: AbortSignal): Promise<ToolAnswer> {
    return this.#calls.hold(offer.name, input, { signal }).then((answer) => {
      this.#answeredCalls++
      return answer
    })
  }

  async #requested(method: string, params: unknown): Promise<unknown> {
    this.lastEventAt = this.#options.clock.now()
    if (method !== 'session/request_permission')
      throw new PeerError(methodNotFound, `Cadre does not support ${method}`)
    const cancelled = { outcome: { outcome: 'cancelled' } }
    if (this.#isClosed || objectOf(params)['sessionId'] !== this.#session) return cancelled
    const { program } = this.#options.found
    const { title, call, allow, reject } = readPermission(params, program.commandIn)
    const rejected = reject === undefined ? cancelled : { outcome: { outcome: 'selected', optionId: reject } }
    const { programCalls } = this.#options
    if (
      program.control === 'tools' ||
      call === undefined ||
      allow === undefined ||
      programCalls === undefined
    ) {
      const why =
        program.control === 'tools'
          ? "in this session, the program may use only Cadre's tools"
          : call === undefined
            ? 'the request does not describe the action'
            : 'the program offers no way to allow only this action'
      this.#listener?.notice(
        'acp_denied',
        `Cadre denied an action by ${program.title} (${oneLine(title)}): ${why}.`,
      )
      return rejected
    }
    const id = callId()
    const key = `${this.#request.session}/${id}`
    programCalls.expect(key, program.title, call.input)
    await this.#calls.hold(call.tool, call.input, { id })
    // Taken even if the conversation was closed, so that a later run of the call has its normal effect.
    if (!programCalls.take(key)) {
      this.wasDenied = true
      return rejected
    }
    return this.#isClosed ? cancelled : { outcome: { outcome: 'selected', optionId: allow } }
  }

  #notified(method: string, params: unknown): void {
    if (method !== 'session/update' || this.#isClosed) return
    const update = readUpdate(params, this.#session)
    if (update === undefined) return
    this.lastEventAt = this.#options.clock.now()
    const { program } = this.#options.found
    if (++this.#updates > maxUpdates) this.#stop('the program sent too many updates in one turn')
    if (update.kind === 'text') {
      if (program.isRemark?.(update.text)) return
      this.#length += update.text.length
      if (this.#length > maxTextLength) this.#stop('the program sent more than 10 million characters')
      this.#text += update.text
      this.lastPiece = update.text
      this.#live?.tell(update.text)
    } else if (update.kind === 'options') {
      const breach = findControlBreach(update.options, this.#mode, program.title)
      if (breach !== undefined) this.#breach(breach)
    } else if (update.kind === 'mode' && this.#mode !== undefined && update.mode !== this.#mode)
      this.#breach(
        `${program.title} switched to the mode "${oneLine(update.mode)}", which Cadre did not choose.`,
      )
    else if (update.kind === 'tool' && update.status === 'completed')
      this.#toolCompleted(update.id, update.title)
  }

  /** A program with Cadre's tools only can complete no more calls than Cadre has answered. */
  #toolCompleted(id: string, title: string): void {
    const { program } = this.#options.found
    if (program.control !== 'tools' || this.#completed.has(id)) return
    this.#completed.add(id)
    if (this.#completed.size <= this.#answeredCalls) return
    this.#breach(
      `${program.title} completed a call of its own (${oneLine(title) || 'without a title'}), although it may use only Cadre's tools.`,
    )
  }

  #breach(message: string): void {
    this.#listener?.notice('acp_breach', `Cadre stopped the session. ${message}`)
    this.#happened({ kind: 'stopped', message: `${message} Cadre stopped it.` })
    this.#process.kill('Cadre could no longer control it')
  }

  #stop(reason: string): void {
    if (!this.#process.isRunning) return
    const { title } = this.#options.found.program
    this.#happened({ kind: 'stopped', message: `Cadre stopped ${title} because ${reason}.` })
    this.#process.kill(reason)
  }

  #happened(event: TurnEvent): void {
    if (this.#isClosed) return
    this.lastEventAt = this.#options.clock.now()
    this.#events.push(event)
    this.#wake()
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200)
}
