/**
 * Owns the runtimes of this window and their questions.
 *
 * 1. A runtime serves one piece of work and is always closed after it.
 * 2. A question is pending until it is answered here, in a view or in the files in the home, or until its run is stopped.
 * 3. After `stop` nothing new starts, and every tree is suspended: nothing is cancelled, and any process can resume it.
 */
import type { Answer, CadreEvent } from '@cadre/core'
import type { AskPerson, ElicitFromPerson, Runtime, RuntimeOptions } from '@cadre/runtime'
import * as vscode from 'vscode'
import type { Homes } from '../home/homes.ts'
import type { AgentSettings } from '../settings/agent-settings.ts'
import { createWindowQuestions } from './window-questions.ts'

/** The options of a resumed run that come from its start. */
export type ResumeContext = Pick<RuntimeOptions, 'granted' | 'team' | 'teamPermits' | 'targets'>

export interface RuntimeRequest {
  readonly folder: vscode.WorkspaceFolder
  /** The model of every agent that names no existing one. Without it, nothing can start. */
  readonly model?: vscode.LanguageModelChat | undefined
  /** From a chat request: VS Code then shows the tools' own progress and questions in that chat. */
  readonly toolInvocationToken?: vscode.ChatParticipantToolToken | undefined
  readonly onEvent?: ((event: CadreEvent) => void) | undefined
  /** Displays a question to the person. The answer comes through `answer`, or from the files in the home. */
  readonly ask?: AskPerson | undefined
  readonly tell?: ((message: string) => void) | undefined
  readonly resumedWith?: ResumeContext | undefined
}

/** The runs of this window. */
export interface Runs extends vscode.Disposable {
  /**
   * Runs `work` with a runtime, and closes it afterwards. Settings, agents and policies are read each time, so a change
   * applies from the next request.
   */
  use<Result>(request: RuntimeRequest, work: (runtime: Runtime) => Promise<Result>): Promise<Result>
  /** Answers a question of a run of this window. Returns false if there is no such question here. */
  answer(session: string, question: string, answer: Answer): boolean
  /** True if a run of this window displays this question to the person, such as in a chat, and waits for the answer. */
  isShown(session: string, question: string): boolean
  /** Stops a session that runs in this window, and everything below it. Returns false if it does not run here. */
  cancel(session: string): boolean
  /** Fires when a run of this window starts or ends. */
  readonly onDidChange: vscode.Event<void>
  /** Suspends every run, permanently. Resolves when all of them are closed. */
  stop(): Promise<void>
}

export interface RunsContext {
  readonly log: vscode.LogOutputChannel
  readonly settings: AgentSettings
  readonly homes: Homes
}

export function createRuns(parts: RunsContext): Runs {
  const changed = new vscode.EventEmitter<void>()
  const runtimes = new Set<Runtime>()
  const questions = createWindowQuestions(parts.log)
  const uses = new Set<Promise<unknown>>()
  const declined = new Set<string>()
  let isDisposed = false
  let elicit: ElicitFromPerson | undefined

  const stop = async () => {
    isDisposed = true
    for (const { orchestrator } of runtimes) orchestrator.pause({ breaksOff: true })
    // Runs that wait for a person are suspended immediately: the question is in the journal.
    questions.leave()
    await Promise.allSettled(uses)
  }

  const use: Runs['use'] = async (request, work) => {
    if (isDisposed) throw new Error('The window is closing.')
    const [{ startRuntime }, { createElicitInWindow }] = await Promise.all([
      import('./start-runtime.ts'),
      import('./elicit-in-window.ts'),
    ])
    // One for the window, so that questions of all runs are asked in order.
    elicit ??= createElicitInWindow()
    let stopWatching: (() => void) | undefined
    let runtime: Runtime | undefined
    runtime = await startRuntime(parts, {
      ...request,
      declined,
      elicit,
      ask: questions.asker(request.ask),
      onEvent(event) {
        // Not earlier: a run that cannot start must leave nothing on disk.
        if (event.type === 'session.started') stopWatching ??= runtime?.watchRequests()
        request.onEvent?.(event)
      },
    })
    if (isDisposed) runtime.orchestrator.pause({ breaksOff: true })
    runtimes.add(runtime)
    changed.fire()
    try {
      return await work(runtime)
    } finally {
      runtimes.delete(runtime)
      stopWatching?.()
      await runtime.close().catch((error) => parts.log.error(`A run did not close: ${String(error)}`))
      if (!isDisposed) changed.fire()
    }
  }

  return {
    async use(request, work) {
      const used = use(request, work)
      uses.add(used)
      try {
        return await used
      } finally {
        uses.delete(used)
      }
    },
    answer: questions.answer,
    isShown: questions.isShown,
    cancel: (session) => [...runtimes].some(({ orchestrator }) => orchestrator.cancel(session)),
    onDidChange: changed.event,
    stop,
    dispose() {
      void stop()
      changed.dispose()
    },
  }
}
