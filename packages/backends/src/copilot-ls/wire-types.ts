/** What the language server sends, as parsed by `wire-readers.ts`. */
export interface ProgressValue {
  readonly kind?: 'begin' | 'report' | 'end'
  readonly conversationId?: string
  readonly turnId?: string
  /** Set for events of the server's own subagents. */
  readonly parentTurnId?: string
  readonly reply?: string
  readonly delta?: string
  readonly message?: string
  readonly hideText?: boolean
  readonly editAgentRounds?: readonly RoundValue[]
  readonly notifications?: readonly { readonly message?: string }[]
  readonly tokenUsage?: { readonly promptTokens?: number; readonly completionTokens?: number }
  readonly contextSize?: { readonly totalUsedTokens?: number }
  readonly error?: TurnError
  readonly cancellationReason?: string
}

export interface RoundValue {
  readonly roundId?: number
  readonly reply?: string
}

/** Why a turn ended early. */
export interface TurnError {
  readonly message?: string
  readonly code?: number
  readonly reason?: string
  readonly responseIsIncomplete?: boolean
  readonly responseIsFiltered?: boolean
}

/** The answer to `conversation/create` and `conversation/turn`, when the turn is over. */
export interface TurnAnswer {
  readonly conversationId?: string
  readonly modelName?: string
  readonly reply?: string
  readonly message?: string
  readonly response?: string
}

/** A tool call from the server. */
export interface ToolInvocation {
  readonly name: string
  readonly input: unknown
  readonly conversationId: string
  readonly turnId: string
  readonly toolCallId: string
}

/** The server expects a pair: a result and an error. */
export type ToolAnswer =
  | readonly [
      { readonly content: readonly { readonly value: string }[]; readonly status: 'success' | 'cancelled' },
      null,
    ]
  | readonly [null, { readonly code: number; readonly message: string }]

export interface ServerTool {
  readonly id: string
  readonly name: string
  readonly type: string
}

export interface ServerModel {
  readonly id: string
  readonly scopes?: readonly string[]
  readonly isChatDefault?: boolean
  readonly modelPolicy?: { readonly state?: string }
  readonly capabilities?: {
    readonly supports?: { readonly vision?: boolean }
    readonly limits?: {
      readonly maxContextWindowTokens?: number
      readonly maxInputTokens?: number
      readonly maxOutputTokens?: number
    }
  }
  readonly billing?: { readonly multiplier?: number }
}
