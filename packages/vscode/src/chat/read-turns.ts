import * as vscode from 'vscode'
import { isOwnText } from './chat-stream.ts'
import type { PastTurn } from './history-of.ts'

/** The metadata of an answer. */
export interface AnswerData {
  readonly session?: string
  readonly agent?: string
  readonly status?: string
}

/** The earlier turns: the person's messages and the agents' answers, without the extension's own text. */
export function readTurns({ history }: vscode.ChatContext): PastTurn[] {
  return history.flatMap((turn): PastTurn[] => {
    if (turn instanceof vscode.ChatRequestTurn) {
      // Other commands than a handoff address the extension, not an agent.
      if (turn.command !== undefined && turn.command !== 'handoff') return []
      return [{ role: 'user', text: turn.prompt }]
    }
    if (turn.command !== undefined && turn.command !== 'handoff' && turn.command !== 'approve') return []
    const text = turn.response
      .map((part) =>
        part instanceof vscode.ChatResponseMarkdownPart && !isOwnText(part) ? part.value.value : '',
      )
      .join('')
    return [{ role: 'assistant', text }]
  })
}

/** The session of the last answer that had one. */
export function lastAnswer({ history }: vscode.ChatContext): AnswerData | undefined {
  for (const turn of history.toReversed()) {
    if (!(turn instanceof vscode.ChatResponseTurn)) continue
    const data = turn.result.metadata as AnswerData | undefined
    if (typeof data?.session === 'string') return data
  }
  return undefined
}
