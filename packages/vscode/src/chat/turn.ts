import type { AgentDefinition, RunResult } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import type * as vscode from 'vscode'
import type { ResumeContext } from '../run/runs.ts'
import type { Services } from '../services.ts'
import type { ChatStream } from './chat-stream.ts'
import type { RunFollower } from './follow-run.ts'
import type { historyOf } from './history-of.ts'
import { readAttachments } from './read-attachments.ts'
import { workWithAttachments } from './work-with-attachments.ts'

/** One request, with everything needed to answer it. */
export interface Turn {
  readonly request: vscode.ChatRequest
  readonly context: vscode.ChatContext
  readonly chat: ChatStream
  readonly follower: RunFollower
  readonly folder: vscode.WorkspaceFolder
  readonly services: Services
  readonly signal: AbortSignal
  /** Runs `work` with a runtime whose activity is shown in this answer. */
  use<Result>(work: (runtime: Runtime) => Promise<Result>, resumedWith?: ResumeContext): Promise<Result>
}

export interface AgentRun {
  readonly agent: AgentDefinition
  readonly history?: ReturnType<typeof historyOf>
  /** Replaces the text of the request. */
  readonly prompt?: string
  readonly model?: string | undefined
}

/** Starts an agent on the work of the request, and shows the result. */
export async function runAgent(
  turn: Turn,
  runtime: Runtime,
  { agent, history = [], prompt = turn.request.prompt, model }: AgentRun,
): Promise<vscode.ChatResult> {
  const { texts, images } = await readAttachments(turn.request.references)
  const work = { content: workWithAttachments(prompt, texts), ...(images.length > 0 && { images }) }
  const result = await runtime.run(
    {
      agent,
      work,
      ...(history.length > 0 && { history }),
      ...(model !== undefined && { model }),
    },
    turn.signal,
  )
  return showResult(turn, result)
}

/** Shows the end of a run, then the buttons: VS Code would collapse those before the last text. */
export function showResult({ chat, follower }: Turn, result: RunResult): vscode.ChatResult {
  follower.finish(result)
  if (result.kind === 'waiting') {
    chat.button('Resume', 'copilotMultiAgent.resumeSession', { session: result.session })
    return { metadata: { session: result.session, status: 'waiting' } }
  }
  const { session, agent, status, handoffs = [], notices } = result.report
  for (const { label, agent: to, prompt, send = false } of handoffs)
    chat.button(label, 'copilotMultiAgent.handoff', { agent: to, prompt, send })
  const metadata = { session, agent, status }
  if (status !== 'error') return { metadata }
  const why = notices?.at(-1)?.message ?? `${agent} failed`
  return { metadata, errorDetails: { message: toSentence(why) } }
}

export function toSentence(text: string): string {
  const written = text.trim().replace(/^./u, (first) => first.toUpperCase())
  return /[.!?]$/.test(written) ? written : `${written}.`
}
