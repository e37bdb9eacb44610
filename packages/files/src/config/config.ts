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
  /** By model: window and price, where the backend does not say. */
  readonly models?: { readonly [id: string]: ModelSettings }
  readonly openai?: OpenAiSettings
  readonly limits?: LimitSettings
  readonly budget?: BudgetSettings
  /** False: no agent may start another. False in either file holds. */
  readonly enableSubagent?: boolean
  /** Modules that bring tools of their own, as absolute paths. */
  readonly tools?: readonly string[]
  /** The command that checks a workspace, as words. */
  readonly check?: { readonly command: readonly string[]; readonly timeoutSeconds?: number }
  readonly web?: {
    /** Hosts on private networks that may be fetched. */
    readonly allow?: readonly string[]
  }
}

export interface ModelSettings {
  readonly window?: number
  readonly price?: { readonly input: number; readonly output: number }
}

export interface OpenAiSettings {
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

export interface LimitSettings {
  readonly depth?: number
  readonly concurrency?: number
  readonly sessions?: number
  readonly maxTurns?: number
  readonly timeoutSeconds?: number
}

export interface BudgetSettings {
  readonly tokens?: number
  readonly cost?: number
  readonly calls?: number
}
