/**
 * Owns one session in an editor, and its turn.
 *
 * 1. One turn at a time. A turn is over when everything it caused has been sent.
 * 2. `cancel` stops the turn's whole tree, and the turn ends as `cancelled`, whatever it was doing.
 * 3. A question is open in the editor and in the home's files. The first answer counts, and the other side is withdrawn.
 * 4. After `leave` nothing new starts, and what runs is suspended: any process can resume it. After `close` it is stopped.
 * 5. The runtime is replaced only between turns.
 */
import { setTimeout as pause } from 'node:timers/promises'
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
import { availableCommands, commandIn, handoffText } from './commands.ts'
import { configOptions, modeState } from './config-options.ts'
import { confirmInEditor } from './confirm-in-editor.ts'
import type { Editor } from './editor.ts'
import { createEditorDocuments } from './editor-documents.ts'
import { Plan } from './plan.ts'
import { readPrompt } from './prompt-content.ts'
import { replayOf } from './replay-of.ts'
import { partsOf } from './session-parts.ts'
import { type AcpFlags, type EarlierSession, SessionRuntime } from './session-runtime.ts'
import { titleOf } from './session-titles.ts'
import { SessionUpdates } from './session-updates.ts'
import { stopReasonOf } from './stop-reason.ts'

export interface AcpSessionOptions {
  readonly editor: Editor
  readonly environment: Environment
  readonly flags: AcpFlags
  readonly cwd: string
  readonly mcpServers: readonly ServerConfig[]
  /** The models to choose from, in the form for `--model`. */
  readonly listModels: (cwd: string) => Promise<readonly string[]>
}

/** In milliseconds. */
const learnLimit = 2_000

interface Turn {
  readonly stop: AbortController
  readonly over: Promise<void>
}

export class AcpSession {
  readonly id: string
  readonly cwd: string
  readonly #options: AcpSessionOptions
  readonly #updates: SessionUpdates
  readonly #documents: Documents
  readonly #screens: CommandScreens
  readonly #plan: Plan
  readonly #opened: SessionRuntime
  readonly #windows = new Map<string, number>()
  #stopWatching: (() => void) | undefined
  /** Resolves when the context window of the last session's model is known. */
  #learning: Promise<void> = Promise.resolve()
  #isTrustAsked = false
  #turn: Turn | undefined
  #isLeaving = false
  /** Resolves when the last change of an option is over. Never rejects. */
  #changed: Promise<unknown> = Promise.resolve()
  #models: readonly string[] = []
  #title: string | undefined
  #trace: string | undefined
  #cards = 0

  private constructor(options: AcpSessionOptions, id: string, earlier?: EarlierSession) {
    this.id = id
    this.cwd = options.cwd
    this.#options = options
    // It has a title, and `session/list` shows it.
    if (earlier !== undefined) this.#title = ''
    const { editor, cwd, environment } = options
    this.#updates = new SessionUpdates({
      editor,
      sessionId: id,
      workspace: cwd,
      windowOf: (model) => this.#windows.get(model),
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

  /** Sends the whole history. Resolves when it has left. */
  async replay(): Promise<void> {
    for (const part of partsOf(this.runtime, this.id))
      this.#updates.replay(await replayOf(this.runtime, part))
    this.#plan.send(this.runtime.home)
    await this.#options.editor.drained()
  }

  /** What the editor gets when it has the session: commands, notices, and the models when they are known. */
  announce(): void {
    this.#sendCommands()
    for (const notice of this.runtime.notices) if (notice.code !== 'untrusted') this.#updates.notice(notice)
    void this.#options.listModels(this.cwd).then(
      (models) => {
        if (models.length === 0 || this.#isLeaving) return
        this.#models = models
        this.#sendConfig()
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
      const { mode: currentModeId } = this.#opened.choices
      if (currentModeId !== mode)
        this.#options.editor.update(this.id, { sessionUpdate: 'current_mode_update', currentModeId })
      this.#sendCommands()
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
        `A turn of session ${this.id} is running. Cancel it, or wait for its end.`,
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
      // Only for display: a model server that does not answer must not hold up the end of the turn.
      await Promise.race([this.#learning, pause(learnLimit, undefined, { ref: false })])
      await this.#options.editor.drained()
      this.#turn = undefined
      end()
    }
  }

  cancel(): void {
    this.#turn?.stop.abort()
  }

  /** Stops one agent below the entry agent. Returns false if it does not run here. */
  cancelChild(session: string): boolean {
    return this.#updates.has(session) && this.runtime.orchestrator.cancel(session, { stays: true })
  }

  /** Stops the turn, and frees everything. */
  async close(): Promise<void> {
    this.cancel()
    await this.#idle()
    await this.#opened.close()
  }

  /** Suspends the turn, because the editor is gone. */
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
    this.#nameSession(work.content)
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

  /** The program that prompts is linked to the session, if it continues. */
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
          `\n\nWaiting for a decision. Decide with "cadre approvals" and "cadre approve ID", or in the file of the approval, then send /resume.`,
        )
      return { stopReason: 'end_turn' }
    }
    const { report } = result
    if (report.status === 'error') {
      const notice = report.notices?.at(-1)
      throw new CadreError('agent_execution', notice?.message ?? `${report.agent} could not finish.`)
    }
    const handoffs = handoffText(this.#opened.conversation.handoffs)
    if (handoffs !== '') this.#updates.say(`\n\nNext:\n${handoffs}`)
    this.#sendCommands()
    const { input, output, cacheRead } = report.usage
    return {
      stopReason: stopReasonOf(report),
      usage: {
        totalTokens: input + output,
        inputTokens: input,
        outputTokens: output,
        ...(cacheRead !== undefined && { cachedReadTokens: cacheRead }),
      },
      _meta: { 'cadre/session': report.session },
    }
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
    this.#sendConfig()
    this.#sendCommands()
  }

  #newCard(what: string): string {
    this.#cards += 1
    return `${this.id}/${what}-${this.#cards}`
  }

  #take(event: CadreEvent): void {
    if (event.type === 'session.started') {
      // Not earlier: a session that cannot start must leave nothing on disk.
      this.#stopWatching ??= this.runtime.watchRequests()
      if (event.depth === 0) this.#learning = this.#learnWindow(event.model)
    }
    this.#updates.take(event)
    if (event.type === 'call.settled' && event.outcome === 'done') this.#plan.send(this.runtime.home)
  }

  async #learnWindow(model: string): Promise<void> {
    if (this.#windows.has(model)) return
    const found = await this.runtime.models.resolve(model).catch(() => undefined)
    if (found?.kind === 'found' && found.model.window !== undefined)
      this.#windows.set(model, found.model.window)
    this.#updates.sendUsage()
  }

  #tell(message: string): void {
    if (this.#turn === undefined) this.#options.environment.warn(message)
    else this.#updates.notice({ code: 'cadre', message })
  }

  #nameSession(work: string): void {
    if (this.#title !== undefined) return
    this.#title = titleOf(work)
    this.#options.editor.update(this.id, {
      sessionUpdate: 'session_info_update',
      title: this.#title,
      updatedAt: new Date().toISOString(),
    })
  }

  #sendCommands(): void {
    this.#options.editor.update(this.id, {
      sessionUpdate: 'available_commands_update',
      availableCommands: availableCommands(this.runtime),
    })
  }

  #sendConfig(): void {
    this.#options.editor.update(this.id, {
      sessionUpdate: 'config_option_update',
      configOptions: this.configOptions,
    })
  }
}
