import type { ModelFacts } from './backend.ts'

/** A model server, whichever API it has. */
export interface ServerConfig {
  /** For example `http://127.0.0.1:1234/v1`. `{model}` in it is replaced by the model's name. */
  readonly baseUrl?: string
  /** A shell command that prints the key. Run at the first question, and again when the key is refused. */
  readonly keyCommand?: string
  /** The header that carries the key. Default `authorization`, as a bearer token, or `x-api-key` for Anthropic; Azure takes `api-key`. */
  readonly keyHeader?: string
  readonly headers?: { readonly [name: string]: string }
  /** Azure's `api-version`, added to every address. */
  readonly apiVersion?: string
  readonly query?: { readonly [name: string]: string }
  /** Send the key over plain HTTP to a host that is not this machine. */
  readonly allowInsecure?: boolean
  /** False for an endpoint that cannot list its models: it is then not asked. */
  readonly list?: boolean
  /** Milliseconds to wait for the list of models. Default 1000. */
  readonly listTimeout?: number
  /** Milliseconds without a byte after which a question counts as hung. Default 120000. */
  readonly idleTimeout?: number
  /** How often one question is asked at most. Default 5. */
  readonly tries?: number
}

/** A server with OpenAI's chat completions, Responses API or embeddings. */
export interface OpenAiConfig extends ServerConfig {
  /** How much models reason, for the Responses API: `low`, `medium`, `high` or what else the model takes. */
  readonly reasoningEffort?: string
}

/** A server with Anthropic's Messages API. */
export interface AnthropicConfig extends ServerConfig {
  /** Tokens that a model may think with before it answers. Absent: it does not think. */
  readonly thinkingTokens?: number
}

export const chatModes = ['Agent', 'Ask', 'InlineAgent'] as const
export type ChatMode = (typeof chatModes)[number]

/** A model server that the Copilot runtime asks in the place of GitHub. */
export interface CopilotProvider {
  /** Default `openai`. */
  readonly type?: string
  readonly wireApi?: string
  readonly baseUrl: string
  /** A shell command that prints the key. `COPILOT_PROVIDER_API_KEY` comes first. */
  readonly keyCommand?: string
  readonly headers?: { readonly [name: string]: string }
  /** Azure's `api-version`. */
  readonly apiVersion?: string
  /** Send the key over plain HTTP to a host that is not this machine. */
  readonly allowInsecure?: boolean
  /** False for a server that cannot list its models. */
  readonly list?: boolean
}

export interface CopilotConfig {
  /** The language server: a program, or the folder of its package. By default the one that Cadre installed, or on `PATH`. */
  readonly server?: string
  /** How the server treats a conversation, unless the name of the model says it. Default `Agent`. */
  readonly mode?: ChatMode
  /** How many server processes may run at once; each has the tools of one agent. Default 4. */
  readonly processes?: number
  /** Milliseconds without a sign of life after which a turn counts as hung. Default 120000. */
  readonly idleTimeout?: number
  /** How often one question is asked at most. Default 3. */
  readonly tries?: number
  /** True: no GitHub. The models are those of `provider` or, without one, of the server of the backend `openai`. */
  readonly offline?: boolean
  readonly provider?: CopilotProvider
  /**
   * True: models may start subagents as Copilot knows them. On the language server they are sessions of their own; on the SDK their
   * calls are judged and recorded as calls of the session. Default false.
   */
  readonly subagents?: boolean
}

/** The part of `config.yaml` that is about models. */
export interface ModelsConfig {
  /** The default model. */
  readonly model?: string
  /** Names a person made up, and what they stand for. */
  readonly aliases?: { readonly [name: string]: string }
  /** By model id: window, longest reply and price, where the backend does not say. */
  readonly models?: { readonly [id: string]: ModelFacts }
  readonly openai?: OpenAiConfig
  readonly anthropic?: AnthropicConfig
  readonly copilot?: CopilotConfig
}
