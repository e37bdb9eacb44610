import type { Json, JsonObject, Price } from '@cadre/core'

/** What a person has set, from both files together. Absent means: the default. */
export interface Config {
  /** The agent a run starts with when none is named. */
  readonly entry?: string
  /** The built-in team whose agents take part: `NAME` or `NAME/VARIANT`. */
  readonly team?: string
  /** The default model, as `--model` takes it. */
  readonly model?: string
  /** Names a person made up, and the models they stand for. */
  readonly aliases?: { readonly [name: string]: string }
  /** By model: window, longest reply and price, where the backend does not say. */
  readonly models?: { readonly [id: string]: ModelSettings }
  readonly openai?: OpenAiSettings
  readonly anthropic?: AnthropicSettings
  readonly copilot?: CopilotSettings
  readonly limits?: LimitSettings
  readonly budget?: BudgetSettings
  /** False: no agent may start another. False in either file holds. */
  readonly enableSubagent?: boolean
  /** Modules that bring tools of their own, as absolute paths. */
  readonly tools?: readonly string[]
  /** The command that checks a workspace, as words. */
  readonly check?: { readonly command: readonly string[]; readonly timeoutSeconds?: number }
  /** Ways in from outside and out again, by name, as they were written. */
  readonly channels?: { readonly [name: string]: JsonObject }
  readonly web?: {
    /** Hosts on private networks that may be fetched. */
    readonly allow?: readonly string[]
  }
  readonly search?: {
    readonly semantic?: SemanticSettings
  }
  readonly daemon?: DaemonConfig
  /** How a person is called back to the terminal when something is pending. */
  readonly notify?: 'auto' | 'off' | 'bell' | 'osc9' | 'osc777' | 'desktop'
}

/** Searching by meaning. */
export interface SemanticSettings {
  /** False: never. Default: if the endpoint of the default model has embeddings. */
  readonly enabled?: boolean
  /** The embedding model of the endpoint. */
  readonly model?: string
  /** A module that is used instead of the endpoint, a path or the name of a package, and what it is given. */
  readonly module?: string
  readonly options?: Json
}

/** How `cadre up` works. */
export interface DaemonConfig {
  /** Sessions at the top that run at the same time. */
  readonly parallel?: number
  /** How long a file must be quiet before it is read. */
  readonly settle_ms?: number
  /** Of the server for channels. */
  readonly port?: number
  readonly host?: string
  /** More names under which it may be called. */
  readonly hosts?: readonly string[]
}

export interface ModelSettings {
  readonly window?: number
  readonly maxOutput?: number
  readonly price?: Price
}

/** GitHub Copilot, through its language server or its SDK. */
export interface CopilotSettings {
  /** The language server: a program, or the folder of its package. */
  readonly server?: string
  readonly mode?: 'Agent' | 'Ask' | 'InlineAgent'
  readonly processes?: number
  readonly idleTimeout?: number
  readonly tries?: number
  /** True: the Copilot runtime asks a model server of one's own, and never GitHub. */
  readonly offline?: boolean
  readonly provider?: {
    readonly type?: string
    readonly wireApi?: string
    readonly baseUrl: string
    readonly keyCommand?: string
    readonly headers?: { readonly [name: string]: string }
    readonly apiVersion?: string
    readonly allowInsecure?: boolean
    readonly list?: boolean
  }
  /** True: models may start subagents as Copilot knows them. */
  readonly subagents?: boolean
}

/** A model server, whichever API it has. */
export interface ServerSettings {
  readonly baseUrl?: string
  readonly keyCommand?: string
  readonly keyHeader?: string
  readonly headers?: { readonly [name: string]: string }
  readonly apiVersion?: string
  readonly query?: { readonly [name: string]: string }
  readonly allowInsecure?: boolean
  readonly list?: boolean
  readonly listTimeout?: number
  readonly idleTimeout?: number
  readonly tries?: number
}

export interface OpenAiSettings extends ServerSettings {
  /** How much models reason, for the Responses API. */
  readonly reasoningEffort?: string
}

export interface AnthropicSettings extends ServerSettings {
  /** Tokens that a model may think with before it answers. */
  readonly thinkingTokens?: number
}

export interface LimitSettings {
  readonly depth?: number
  readonly concurrency?: number
  readonly sessions?: number
  readonly maxTurns?: number
  readonly timeoutSeconds?: number
  /** 0 disables the limit. */
  readonly identicalCalls?: number
  /** Messages that the members of one team may send each other. */
  readonly teamMessages?: number
}

export interface BudgetSettings {
  readonly tokens?: number
  readonly cost?: number
  readonly calls?: number
}
