import type { Json, JsonObject, Price } from '@cadre/core'

/** The settings of the user and the home together. Absent values have their default. */
export interface Config {
  /** The default entry agent. */
  readonly entry?: string
  /** The built-in team to use: `NAME` or `NAME/VARIANT`. */
  readonly team?: string
  /** The default model, in the format of `--model`. */
  readonly model?: string
  /** Model names by alias. */
  readonly aliases?: { readonly [name: string]: string }
  /** By model: context window, longest reply and price, if the backend does not report them. */
  readonly models?: { readonly [id: string]: ModelSettings }
  readonly openai?: OpenAiSettings
  readonly anthropic?: AnthropicSettings
  readonly copilot?: CopilotSettings
  readonly acp?: AcpSettings
  readonly limits?: LimitSettings
  readonly budget?: BudgetSettings
  /** The most that all runs of the home may spend in a day, on all its machines. */
  readonly budgets?: {
    readonly day?: DayBudgetSettings
    /** By the name of an agent: for its sessions, and the sessions that they start. */
    readonly agents?: { readonly [name: string]: DayBudgetSettings }
    /** For several agents together. */
    readonly teams?: {
      readonly [name: string]: DayBudgetSettings & { readonly agents: readonly string[] }
    }
  }
  /** False: no agent may start another. False in either file applies. */
  readonly enableSubagent?: boolean
  /** Absolute paths of modules with custom tools. */
  readonly tools?: readonly string[]
  /** The command that checks a workspace, as a list of words. */
  readonly check?: { readonly command: readonly string[]; readonly timeoutSeconds?: number }
  /** Channels by name, as written in the file. */
  readonly channels?: { readonly [name: string]: JsonObject }
  readonly web?: {
    /** Hosts on private networks from which agents may fetch pages. */
    readonly allow?: readonly string[]
  }
  readonly search?: {
    readonly semantic?: SemanticSettings
  }
  readonly daemon?: DaemonConfig
  /** The engine of `cadre up`, for several machines. Default: session files on this machine. */
  readonly engine?: EngineSettings
  readonly mcp?: McpSettings
  /** How Cadre notifies a person in a terminal. */
  readonly notify?: 'auto' | 'off' | 'bell' | 'osc9' | 'osc777' | 'desktop'
}

/** Semantic search. */
export interface SemanticSettings {
  /** False disables it. Default: enabled if the endpoint of the default model has embeddings. */
  readonly enabled?: boolean
  /** The embedding model of the endpoint. */
  readonly model?: string
  /** A module to use instead of the endpoint: a path or a package name, and its options. */
  readonly module?: string
  readonly options?: Json
}

/** MCP servers, whose tools agents use, and what MCP clients may do that delegate work to Cadre. */
export interface McpSettings {
  /** Servers by name, as written in the file. `LoadedConfig.servers` has them by file. */
  readonly servers?: { readonly [name: string]: JsonObject }
  /** False: use only these servers, and none from files of other programs. False in either file applies. */
  readonly discover?: boolean
  /**
   * The MCP clients whose model may decide approvals of delegated runs, by the name they give themselves; `*` for all. Applies only in the
   * user's file.
   */
  readonly decide?: readonly string[]
  /** The MCP clients that may show approvals to their user as a form. Applies only in the user's file. */
  readonly ask?: readonly string[]
}

/** A Restate server, and the place whose workers run the trees. */
export interface EngineSettings {
  readonly kind: 'restate'
  /** Default: `http://127.0.0.1:8080`. */
  readonly ingress?: string
  /** The admin API. Default: `http://127.0.0.1:9070`. */
  readonly admin?: string
  readonly place: string
  /** The place whose workers keep the budgets and limits of all places. Default: `place`. */
  readonly ledger?: string
  /** `checkout`: each tree works in its own checkout of `repository`, on any worker of the place. Default: `folder`. */
  readonly workspace?: 'folder' | 'checkout'
  /** Anything that git can fetch from and push to. Default: the remote `origin` of the worker's workspace. */
  readonly repository?: string
  /** The server's public keys. Workers then reject requests that the server has not signed. */
  readonly identityKeys?: readonly string[]
}

/** Settings of `cadre up`. */
export interface DaemonConfig {
  /** How many entry sessions run at the same time. */
  readonly parallel?: number
  /** How long a file must be unchanged before it is read. */
  readonly settle_ms?: number
  /** The port of the HTTP server for the page and for channels. */
  readonly port?: number
  readonly host?: string
  /** Additional host names that it accepts. */
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
  /** True: the Copilot runtime uses the user's own model server, and never GitHub. */
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
  /** True: models may use Copilot's native subagent tool. */
  readonly subagents?: boolean
}

/** Agent programs as models: `acp:NAME`. */
export interface AcpSettings {
  readonly programs?: { readonly [name: string]: AcpProgramSettings }
  readonly idleTimeout?: number
  readonly tries?: number
}

export interface AcpProgramSettings {
  /** The program and its arguments. */
  readonly command?: readonly string[]
  /** The environment variables that it gets, besides basic ones. */
  readonly variables?: readonly string[]
  /** True: run it without a sandbox if there is none. */
  readonly withoutSandbox?: boolean
}

/** A model server with any API. */
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
  /** How many tokens a model may use for thinking. */
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
  /** How many messages the members of one team may send each other. */
  readonly teamMessages?: number
  /** How many trees of sessions may run at the same time: at one place, and in the whole home. */
  readonly parallel?: { readonly place?: number; readonly home?: number }
}

export interface BudgetSettings {
  readonly tokens?: number
  readonly cost?: number
  readonly calls?: number
}

/** For one day, from midnight UTC. */
export interface DayBudgetSettings {
  readonly tokens?: number
  /** US dollars. */
  readonly cost?: number
}
