import type { ModelInfo } from './backend.ts'

/** A model server with any API. */
export interface ServerConfig {
  /** For example `http://127.0.0.1:1234/v1`. `{model}` is replaced by the model's name. */
  readonly baseUrl?: string
  /** A shell command that prints the key. It runs on first use, and again if the key is rejected. */
  readonly keyCommand?: string
  /** The header for the key. Default `authorization`, as a bearer token, or `x-api-key` for Anthropic; Azure uses `api-key`. */
  readonly keyHeader?: string
  readonly headers?: { readonly [name: string]: string }
  /** Azure's `api-version`, added to every address. */
  readonly apiVersion?: string
  readonly query?: { readonly [name: string]: string }
  /** True to send the key over plain HTTP to another machine. */
  readonly allowInsecure?: boolean
  /** False for an endpoint that cannot list its models. */
  readonly list?: boolean
  /** The timeout for the list of models, in milliseconds. Default 1000. */
  readonly listTimeout?: number
  /** The timeout without data for a request, in milliseconds. Default 120000. */
  readonly idleTimeout?: number
  /** The maximum number of attempts per request. Default 5. */
  readonly tries?: number
}

/** A server with OpenAI's Chat Completions, Responses or Embeddings API. */
export interface OpenAiConfig extends ServerConfig {
  /** The reasoning effort, for the Responses API: `low`, `medium`, `high` or another value that the model accepts. */
  readonly reasoningEffort?: string
}

/** A server with Anthropic's Messages API. */
export interface AnthropicConfig extends ServerConfig {
  /** The maximum number of thinking tokens. Absent: no thinking. */
  readonly thinkingTokens?: number
}

export const chatModes = ['Agent', 'Ask', 'InlineAgent'] as const
export type ChatMode = (typeof chatModes)[number]

/** A model server that the Copilot runtime uses instead of GitHub. */
export interface CopilotProvider {
  /** Default `openai`. */
  readonly type?: string
  readonly wireApi?: string
  readonly baseUrl: string
  /** A shell command that prints the key. `COPILOT_PROVIDER_API_KEY` takes precedence. */
  readonly keyCommand?: string
  readonly headers?: { readonly [name: string]: string }
  /** Azure's `api-version`. */
  readonly apiVersion?: string
  /** True to send the key over plain HTTP to another machine. */
  readonly allowInsecure?: boolean
  /** False for a server that cannot list its models. */
  readonly list?: boolean
}

export interface CopilotConfig {
  /** The language server: a program, or the folder of its package. Default: the one that Cadre installed, or on `PATH`. */
  readonly server?: string
  /** The server's mode for a conversation, unless the model name includes one. Default `Agent`. */
  readonly mode?: ChatMode
  /** The maximum number of concurrent server processes; each has the tools of one agent. Default 4. */
  readonly processes?: number
  /** The timeout without an event for a turn, in milliseconds. Default 120000. */
  readonly idleTimeout?: number
  /** The maximum number of attempts per request. Default 3. */
  readonly tries?: number
  /** True: do not use GitHub. The models are those of `provider` or, without one, of the backend `openai`. */
  readonly offline?: boolean
  readonly provider?: CopilotProvider
  /**
   * True: models may start Copilot's subagents. On the language server they become Cadre sessions; on the SDK their calls
   * are judged and recorded as calls of the session. Default false.
   */
  readonly subagents?: boolean
}

/** Agent programs that speak the Agent Client Protocol. */
export interface AcpConfig {
  /** By the name after `acp:`. Known programs need no entry. */
  readonly programs?: { readonly [name: string]: AcpProgramConfig }
  /** The timeout without an event for a turn, in milliseconds. Default 180000, or 900000 for a program with its own tools. */
  readonly idleTimeout?: number
  /** The maximum number of attempts per request. Default 3. */
  readonly tries?: number
}

export interface AcpProgramConfig {
  /** The program and its arguments. The program is an absolute path, or a name on PATH. */
  readonly command?: readonly string[]
  /** The environment variables that it gets, besides basic ones. */
  readonly variables?: readonly string[]
  /** True: run it without a sandbox if there is none. It can then do everything that the user can. */
  readonly withoutSandbox?: boolean
}

/** The part of `config.yaml` about models. */
export interface ModelsConfig {
  /** The default model. */
  readonly model?: string
  /** Aliases defined by the user, and the models they name. */
  readonly aliases?: { readonly [name: string]: string }
  /** By model id: window, maximum reply and price, if the backend does not report them. */
  readonly models?: { readonly [id: string]: ModelInfo }
  readonly openai?: OpenAiConfig
  readonly anthropic?: AnthropicConfig
  readonly copilot?: CopilotConfig
  readonly acp?: AcpConfig
}
