import type { JsonObject } from '@cadre/core'

/** A conversation with one agent, as a Markdown file that people read and write: `agents/<id>.agent.md` of a home. */
export interface ChatLog {
  readonly agent: string
  readonly type?: string
  readonly created?: string
  readonly systemPrompt: string
  readonly entries: readonly LogEntry[]
}

export type LogEntry = {
  /** `YYYY-MM-DD HH:MM:SS`, in UTC. */
  readonly time: string
} & (
  | { readonly role: 'user' | 'assistant' | 'tool_result'; readonly content: string }
  | {
      readonly role: 'tool_call'
      readonly name: string
      /** Text if it is not a mapping. */
      readonly input: JsonObject | string
    }
)

export type LogRole = LogEntry['role']
