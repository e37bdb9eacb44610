import type { Answer, CadreEvent, RunResult } from '@cadre/core'
import type { AskPerson, Runtime } from '@cadre/runtime'
import * as vscode from 'vscode'
import type { Homes } from '../home/homes.ts'
import type { AgentSettings } from '../settings/agent-settings.ts'

export interface RuntimeRequest {
  readonly folder: vscode.WorkspaceFolder
  /** The model of every agent that names no other one that exists. */
  readonly model: vscode.LanguageModelChat
  /** Of a chat request: VS Code then shows the tools' own progress and questions in that chat. */
  readonly toolInvocationToken?: vscode.ChatParticipantToolToken | undefined
  readonly onEvent?: ((event: CadreEvent) => void) | undefined
  /** Shows a question where the person looks. The answer comes through `answer`, or from the files of the home. */
  readonly ask?: AskPerson | undefined
  readonly tell?: ((message: string) => void) | undefined
}

/** The runs of this window. */
export interface Runs extends vscode.Disposable {
  /**
   * Puts a runtime together for one piece of work, and closes it afterwards. Settings, agents and policies are read anew each time,
   * so a change applies from the next request on.
   */
  use(request: RuntimeRequest, work: (runtime: Runtime) => Promise<RunResult>): Promise<RunResult>
  /** Answers a question that a run of this window is waiting with. False when there is no such question here. */
  answer(session: string, question: string, answer: Answer): boolean
  /** Stops a session that runs in this window, and everything below it. False when it does not run here. */
  cancel(session: string): boolean
  /** Fires when a run of this window begins or ends. */
  readonly onDidChange: vscode.Event<void>
}

export function createRuns(_parts: {
  readonly log: vscode.LogOutputChannel
  readonly settings: AgentSettings
  readonly homes: Homes
}): Runs {
  const changed = new vscode.EventEmitter<void>()
  return {
    use: async () => {
      throw new Error('not there yet')
    },
    answer: () => false,
    cancel: () => false,
    onDidChange: changed.event,
    dispose: () => changed.dispose(),
  }
}
