/** The parts of `cadre agents show --json`, `lint --json` and `policy explain --json` that the page shows. */

export interface Sourced<T> {
  readonly value: T
  readonly from: string
}

export interface AgentRow {
  readonly name: string
  readonly description?: string
  readonly source: string
  readonly dialect: string
  readonly status: string
  readonly entry: boolean
  readonly team?: string
  readonly refused?: string
}

export interface AgentView {
  readonly name: string
  readonly description: string
  readonly source: { readonly path: string; readonly dialect: string; readonly line?: number }
  readonly status: string
  readonly refused?: string
  readonly userInvocable: Sourced<boolean>
  readonly modelInvocable: Sourced<boolean>
  readonly tools: readonly {
    readonly name: string
    readonly class: string
    readonly effect: string
    readonly named: readonly string[]
    readonly from: string
  }[]
  readonly disallowed: readonly { readonly name: string; readonly by: string; readonly from: string }[]
  readonly unavailable: readonly { readonly name: string; readonly reason: string; readonly from: string }[]
  readonly permissions: readonly {
    readonly tool: string
    readonly pattern: string
    readonly action: string
    readonly tools: readonly string[]
    readonly from: string
  }[]
  readonly boundary: {
    readonly writes: Sourced<string>
    readonly commands: Sourced<string>
    readonly artifact?: string
  }
  readonly targets: {
    readonly entry: readonly string[]
    readonly delegated: readonly string[]
    readonly refused: readonly { readonly name: string; readonly reason: string }[]
    readonly from: string
  }
  readonly model: {
    readonly preferences: readonly string[]
    readonly used?: string
    readonly problem?: string
    readonly warning?: string
    readonly from: string
  }
  readonly limits: readonly {
    readonly name: string
    readonly value: number
    readonly unit: string
    readonly from: string
  }[]
  readonly isolation: Sourced<string>
  readonly handoffs: readonly {
    readonly label: string
    readonly agent: string
    readonly exists: boolean
    readonly from: string
  }[]
  readonly hooks: Sourced<readonly string[]>
  readonly mcpServers: Sourced<readonly string[]>
  readonly diagnostics: readonly string[]
}

export interface LintFile {
  readonly path: string
  readonly dialect: string
  readonly status: string
  readonly agent?: string
  readonly agents?: readonly string[]
  readonly diagnostics: readonly {
    readonly severity: 'error' | 'warning' | 'info'
    readonly code: string
    readonly message: string
    readonly line?: number
    readonly fix?: string
  }[]
}

export interface Explanation {
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly by: string
  readonly rule: string
  readonly reason: string
  readonly risk?: string
  readonly reasons?: readonly string[]
  readonly commands?: readonly {
    readonly words: readonly string[]
    readonly decision: string
    readonly reason?: string
  }[]
  readonly paths?: readonly {
    readonly path: string
    readonly real?: string
    readonly decision: string
    readonly reason?: string
  }[]
  readonly hooks?: readonly string[]
  readonly input?: object
  readonly chain: readonly string[]
}
