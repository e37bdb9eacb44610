/**
 * Owns one session in an editor, and its turn.
 *
 * 1. One turn at a time. A turn is over when everything it caused has been sent.
 * 2. `cancel` stops the turn's whole tree, and the turn ends as `cancelled`, whatever it was doing.
 * 3. A question is open both in the editor and in the home's files. The first answer applies, and the other question is withdrawn.
 * 4. After `leave`, nothing new starts, and the running turn is suspended, so that any process can resume it. `close` stops the turn.
 * 5. The runtime is replaced only between turns.
 */
import {
  CadreError,
  type CadreEvent,
  messageOf,
  type RunResult,
  readTrace,
  type ToolContext,
} from '@cadre/core'
import { sessionIds, type TrustItem } from '@cadre/home'
import type { ServerConfig } from '@cadre/mcp'
import type { Environment, Runtime } from '@cadre/runtime'
import type { Documents } from '@cadre/tools'
import type { ContentBlock, PromptResponse, SessionConfigOption, SessionModeState } from './acp-types.ts'
import { createAskInEditor } from './ask-in-editor.ts'
import { askTrust } from './ask-trust.ts'
import { CommandScreens } from './command-screens.ts'
import { configOptions, modeState } from './config-options.ts'
import { confirmInEditor } from './confirm-in-editor.ts'
import { ContextWindows } from './context-windows.ts'
import type { Editor } from './editor.ts'
import { createEditorDocuments } from './editor-documents.ts'
import { createElicitInEditor } from './elicit-in-editor.ts'
import { Plan } from './plan.ts'
import { readPrompt } from './prompt-content.ts'
import { promptResponse } from './prompt-response.ts'
import { replayedContent } from './replayed-content.ts'
import { SessionInfo } from './session-info.ts'
import { sessionPartsOf } from './session-parts.ts'
import { type AcpFlags, type EarlierSession, SessionRuntime } from './session-runtime.ts'
import { SessionUpdates } from './session-updates.ts'
import { commandIn, handoffText } from './slash-commands.ts'
import { updatesFromHistory } from './updates-from-history.ts'

export interface AcpSessionOptions {
  readonly editor: Editor
  readonly environment: Environment
  readonly flags: AcpFlags
  readonly cwd: string
  readonly mcpServers: readonly ServerConfig[]
  /** The available models, in the format for `--model`. */
  readonly listModels: (cwd: string) => Promise<readonly string[]>
}

interface Turn {
  readonly stop: AbortController
  readonly over: Promise<void>
}

export class AcpSession {
  readonly id: string
  readonly cwd: string
  readonly #options: AcpSessionOptions
  readonly #info: SessionInfo
  readonly #updates: SessionUpdates
  readonly #documents: Documents
  readonly #screens: CommandScreens
  readonly #plan: Plan
  readonly #opened: SessionRuntime
  readonly #windows: ContextWindows
  #stopWatching: (() => void) | undefined
  #isTrustAsked = false
  #turn: Turn | undefined
  #isLeaving = false
  /** Resolves when the last option change has completed. Never rejects. */
  #changed: Promise<unknown> = Promise.resolve()
  #models: readonly string[] = []
  #trace: string | undefined
  #cards = 0

  private constructor(options: AcpSessionOptions, id: string, earlier?: EarlierSession) {
    this.id = id
    this.cwd = options.cwd
    this.#options = options
    const { editor, cwd, environment } = options
    this.#info = new SessionInfo(editor, id, { hasTitle: earlier !== undefined })
    this.#windows = new ContextWindows(() => this.#updates.sendUsage())
    this.#updates = new SessionUpdates({
      editor,
      sessionId: id,
      workspace: cwd,
      windowOf: (model) => this.#windows.of(model),
      endOfCommand: (card, content) => this.#screens.end(card, content),
    })
    this.#plan = new Plan({
      send: (entries) => editor.update(id, { sessionUpdate: 'plan', entries }),
      isOurs: (session) => this.#updates.has(session),
      warn: environment.warn,
    })
    this.#screens = new CommandScreens({
      editor,
      cardOf: (session, call) => this.#updates.cardOf(session, call),
    })
    this.#documents = createEditorDocuments({
      editor,
      sessionId: id,
      folder: cwd,
      changed: (change) => this.#updates.changed(change),
    })
    const ask = createAskInEditor({
      editor,
      environment: { ...environment, cwd },
      updates: this.#updates,
      documents: this.#documents,
      read: (session) => this.runtime.read(session),
      isLeaving: () => this.#isLeaving,
    })
    const ports = {
      documents: this.#documents,
      watchCommand: (context: ToolContext) => this.#screens.watch(context),
      ask,
      elicit: createElicitInEditor({
        editor,
        sessionId: id,
        updates: this.#updates,
        newCard: () => this.#newCard('question'),
        isLeaving: () => this.#isLeaving,
      }),
      askedVia: 'protocol' as const,
      onEvent: (event: CadreEvent) => this.#take(event),
      tell: (message: string) => this.#tell(message),
    }
    this.#opened = new SessionRuntime({ ...options, id, ports, trace: () => this.#trace }, earlier)
  }

  /** A new session. Nothing is on disk before its first prompt. */
  static async start(options: AcpSessionOptions): Promise<AcpSession> {
    const { agent, team } = options.flags
    const session = new AcpSession(options, sessionIds.session(agent ?? team ?? 'acp'))
    await session.#opened.open()
    return session
  }

  /** An earlier session, from this editor or any other program. The caller has checked that it may be used here. */
  static async resume(options: AcpSessionOptions, id: string, earlier: EarlierSession): Promise<AcpSession> {
    const session = new AcpSession(options, id, earlier)
    await session.#opened.open()
    return session
  }

  get isBusy(): boolean {
    return this.#turn !== undefined
  }

  get runtime(): Runtime {
    return this.#opened.runtime
  }

  /** Sends the whole history. Resolves when it has been sent. */
  async replay(): Promise<void> {
    for (const part of sessionPartsOf(this.runtime, this.id)) {
      const events = await updatesFromHistory(this.runtime, part)
      this.#updates.replay(events, await replayedContent(events, this.cwd))
    }
    this.#plan.send(this.runtime.home)
    const model = this.#updates.unsentModel
    if (model !== undefined) this.#windows.learn(model, this.runtime.models)
    await this.#windows.settled()
    await this.#options.editor.drained()
  }

  /** Sends the data that follows a new session: commands, notices and, once they are known, the models. */
  announce(): void {
    this.#info.sendCommands(this.runtime)
    for (const notice of this.runtime.notices) if (notice.code !== 'untrusted') this.#updates.notice(notice)
    void this.#options.listModels(this.cwd).then(
      (models) => {
        if (models.length === 0 || this.#isLeaving) return
        this.#models = models
        this.#info.sendOptions(this.configOptions)
      },
      (error: unknown) => this.#options.environment.warn(`cannot list the models: ${messageOf(error)}`),
    )
  }

  get configOptions(): SessionConfigOption[] {
    const { capabilities } = this.#options.editor
    return configOptions(this.runtime, this.#opened.choices, { models: this.#models, capabilities })
  }

  get modes(): SessionModeState {
    return modeState(this.#opened.choices.mode)
  }

  /** Changes an option, after all earlier changes. Rejects with `usage` if the value is unknown. */
  choose(option: string, value: string | boolean): Promise<void> {
    const change = this.#changed.then(async () => {
      const { mode } = this.#opened.choices
      await this.#opened.choose(option, value, this.isBusy)
      const { mode: newMode } = this.#opened.choices
      if (newMode !== mode) this.#info.sendMode(newMode)
      this.#info.sendCommands(this.runtime)
    })
    this.#changed = change.catch(() => undefined)
    return change
  }

  /** Runs one turn. Never rejects after a cancel. */
  async prompt(
    blocks: readonly ContentBlock[],
    traceparent: unknown,
    signal: AbortSignal,
  ): Promise<PromptResponse> {
    if (this.#turn !== undefined)
      throw new CadreError(
        'owned',
        `Session ${this.id} is already running a turn. Cancel it, or wait for it to finish.`,
      )
    const stop = new AbortController()
    let end = () => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#turn = { stop, over }
    const cancel = () => {
      // When the connection ends, the turn is suspended and not stopped.
      if (!this.#isLeaving) stop.abort()
    }
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const text = typeof traceparent === 'string' ? traceparent : undefined
      this.#trace = readTrace(text) === undefined ? undefined : text
      await this.#changed
      const response = await this.#answer(blocks, stop.signal)
      return stop.signal.aborted ? { ...response, stopReason: 'cancelled' } : response
    } catch (error) {
      if (stop.signal.aborted) return { stopReason: 'cancelled' }
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#trace = undefined
      this.#stopWatching?.()
      this.#stopWatching = undefined
      this.#screens.close()
      await this.#windows.settled()
      await this.#options.editor.drained()
      this.#turn = undefined
      end()
    }
  }

  cancel(): void {
    this.#turn?.stop.abort()
  }

  /** Stops one agent below the entry agent. Returns false if it is not running here. */
  cancelChild(session: string): boolean {
    return this.#updates.has(session) && this.runtime.orchestrator.cancel(session, { stays: true })
  }

  /** Stops the turn, and frees everything. */
  async close(): Promise<void> {
    this.cancel()
    await this.#idle()
    await this.#opened.close()
  }

  /** Suspends the turn, because the editor has disconnected. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    this.#opened.pause()
    await this.#idle()
    await this.#opened.close()
  }

  async #idle(): Promise<void> {
    await this.#changed
    await this.#turn?.over
  }

  async #answer(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    await this.#requireTrust(signal)
    signal.throwIfAborted()
    const { editor, environment } = this.#options
    const { conversation } = this.#opened
    const { work, typed, notes } = await readPrompt(
      blocks,
      {
        orchestrator: this.runtime.orchestrator,
        agent: conversation.agent,
        workspace: this.cwd,
        documents: this.#documents,
      },
      signal,
    )
    for (const message of notes) this.#updates.notice({ code: 'attachment', message })
    if (work.content.trim() === '' && work.images === undefined)
      throw new CadreError('usage', 'The prompt is empty.')
    this.#info.name(work.content)
    signal.throwIfAborted()
    const called = commandIn(this.runtime, typed)
    if (called === undefined) return this.#end(await this.#say(() => conversation.say(work, signal)))
    const context = {
      runtime: this.runtime,
      conversation,
      env: environment.env,
      say: (text: string) => this.#updates.say(text),
      confirm: (question: string, text: string) =>
        confirmInEditor(
          { question, text, sessionId: this.id, toolCallId: this.#newCard('confirm') },
          editor,
          signal,
        ),
    }
    const result = await this.#say(() => called.command.run(context, called.rest, signal))
    await editor.drained()
    return result === undefined ? { stopReason: 'end_turn' } : this.#end(result)
  }

  /** If the session continues, links it to the program that sent the prompt. */
  async #say<Result>(run: () => Promise<Result>): Promise<Result> {
    const { session } = this.#opened.conversation
    if (session !== undefined && this.#trace !== undefined) this.runtime.telemetry?.link(session, this.#trace)
    return run()
  }

  #end(result: RunResult): PromptResponse {
    this.#plan.send(this.runtime.home)
    if (result.kind === 'waiting') {
      if (result.questions.length > 0 && !this.#isLeaving)
        this.#updates.say(
          `\n\nWaiting for a decision. Decide with "cadre approvals" and "cadre approve ID", or in the approval's file, then send /resume.`,
        )
      return { stopReason: 'end_turn' }
    }
    const response = promptResponse(result.report)
    const handoffs = handoffText(this.#opened.conversation.handoffs)
    if (handoffs !== '') this.#updates.say(`\n\nNext:\n${handoffs}`)
    this.#info.sendCommands(this.runtime)
    return response
  }

  /** Asks once per session whether to trust an untrusted folder. Until then agents are read-only. */
  async #requireTrust(signal: AbortSignal): Promise<void> {
    const untrusted = this.runtime.notices.filter(({ code }) => code === 'untrusted')
    if (untrusted.length === 0 || this.#isTrustAsked) return
    this.#isTrustAsked = true
    let granted: readonly TrustItem[] | undefined
    await this.#opened.open({
      confirmTrust: async (folder) => {
        const answer = await askTrust(folder, {
          editor: this.#options.editor,
          sessionId: this.id,
          toolCallId: this.#newCard('trust'),
          environment: this.#options.environment,
          signal,
        })
        if (answer.kind === 'once') granted = answer.items
        return answer.kind === 'always' ? 'yes' : 'later'
      },
    })
    if (granted !== undefined) await this.#opened.grant(granted)
    for (const notice of this.runtime.notices) if (notice.code === 'untrusted') this.#updates.notice(notice)
    this.#info.sendOptions(this.configOptions)
    this.#info.sendCommands(this.runtime)
  }

  #newCard(what: string): string {
    this.#cards += 1
    return `${this.id}/${what}-${this.#cards}`
  }

  #take(event: CadreEvent): void {
    if (event.type === 'session.started') {
      // Not earlier, because a session that cannot start must not leave anything on disk.
      this.#stopWatching ??= this.runtime.watchRequests()
      if (event.depth === 0) this.#windows.learn(event.model, this.runtime.models)
    }
    this.#updates.take(event)
    if (event.type === 'call.settled' && event.outcome === 'done') this.#plan.send(this.runtime.home)
  }

  #tell(message: string): void {
    if (this.#turn === undefined) this.#options.environment.warn(message)
    else this.#updates.notice({ code: 'cadre', message })
  }
}
