/** Where settings are stored. `folder` exists only in multi-root workspaces. */
export type Level = 'user' | 'workspace' | 'folder'

export interface Permission<Key extends 'agents' | 'tools'> {
  readonly type: 'all' | 'none' | 'specific'
  readonly agents?: Key extends 'agents' ? readonly string[] : never
  readonly tools?: Key extends 'tools' ? readonly string[] : never
}

/** One agent of `copilotMultiAgent.agents`. Unknown keys are kept. */
export interface Agent {
  readonly name: string
  readonly systemPrompt: string
  readonly description: string
  readonly useFor: string
  readonly delegationPermissions: Permission<'agents'>
  readonly toolPermissions: Permission<'tools'>
  /** The first available one is used. */
  readonly model?: string | readonly string[]
  readonly [key: string]: unknown
}

/** `copilotMultiAgent.entryAgent` and `copilotMultiAgent.agents`. */
export interface Configuration {
  readonly entryAgent: string
  readonly agents: readonly Agent[]
}

export interface LevelState {
  readonly level: Level
  readonly label: string
  /** Absent if this level defines no agents. */
  readonly configuration?: Configuration
  /** Changes when the settings of this level change. */
  readonly stamp: string
  /** It has an older format. Saving writes the current one. */
  readonly isOld: boolean
  /** Problems of the stored settings that are not visible in the configuration. Saving writes what is shown. */
  readonly problems: readonly Problem[]
}

export interface ToolChoice {
  readonly name: string
  readonly description: string
}

export interface ToolGroup {
  readonly label: string
  readonly tools: readonly ToolChoice[]
}

/** An agent that a file defines. */
export interface AgentFileState {
  /** Identifies the file; the page sends it back to open or copy it. */
  readonly id: string
  /** The path for people: relative to the folder, or with `~`. */
  readonly path: string
  readonly agent?: string
  readonly status: 'ok' | 'rescued' | 'failed'
  readonly errors: number
  readonly warnings: number
  readonly firstProblem?: string
  /** The definition that takes precedence over it. */
  readonly shadowedBy?: string
}

export interface Template {
  readonly id: string
  readonly label: string
  readonly description: string
}

/** The read-only state of the page. */
export interface PageState {
  readonly levels: readonly LevelState[]
  /** The level whose agents are used; absent if none defines any. */
  readonly used?: Level
  /** The agent that answers `@agents` now. */
  readonly entry?: string
  readonly tools: readonly ToolGroup[]
  readonly models: readonly string[]
  readonly files: readonly AgentFileState[]
  /** The team that is used if nothing defines agents. */
  readonly builtIn: {
    readonly agents: readonly Agent[]
    readonly entry: string
    readonly isUsed: boolean
  }
  readonly templates: readonly Template[]
  readonly limits: {
    readonly agents: number
    readonly name: number
    readonly prompt: number
    readonly text: number
  }
  readonly isTrusted: boolean
}

/** A problem of a field in the edited configuration. */
export interface Problem {
  /** For example `agents[2].toolPermissions.tools[0]`. */
  readonly path: string
  readonly message: string
  /** It must be corrected before the agents can be saved. */
  readonly prevents: boolean
  /** The field is empty. */
  readonly isEmpty?: true
}

export interface Preview {
  readonly agent: string
  readonly prompt: string
  /** The tools sent to the model. */
  readonly tools: readonly string[]
}

/** Unsaved edits. */
export interface Draft {
  readonly level: Level
  readonly configuration: Configuration
  /** The stamp of the settings that the edits started from. */
  readonly stamp: string
}

/** Messages from the extension to the page. */
export type ToPage =
  | { readonly type: 'state'; readonly state: PageState; readonly draft?: Draft }
  | {
      readonly type: 'checked'
      readonly id: number
      readonly problems: readonly Problem[]
      readonly preview?: Preview
    }
  | { readonly type: 'saved'; readonly state: PageState }
  | { readonly type: 'conflict' }
  /** Nothing was saved. */
  | { readonly type: 'refused'; readonly problems: readonly Problem[] }
  /** Agents to add to the edits. */
  | {
      readonly type: 'agents'
      readonly agents: readonly Agent[]
      readonly entry?: string
      readonly from: string
    }
  | { readonly type: 'message'; readonly text: string; readonly isError: boolean }
  | { readonly type: 'newAgent' }

/** Messages from the page to the extension. */
export type FromPage =
  | { readonly type: 'ready' }
  | {
      readonly type: 'check'
      readonly id: number
      readonly configuration: Configuration
      /** The agent whose prompt is shown. */
      readonly selected: number
    }
  /** The current edits, to be restored when the page is opened again; absent if everything is saved. */
  | { readonly type: 'keep'; readonly draft?: Draft }
  | { readonly type: 'save'; readonly draft: Draft; readonly overwrite: boolean }
  | { readonly type: 'reset'; readonly level: Level }
  | { readonly type: 'import' }
  | { readonly type: 'export'; readonly configuration: Configuration; readonly to: 'json' | 'files' }
  | { readonly type: 'template'; readonly id: string }
  | { readonly type: 'copyFile'; readonly id: string }
  | { readonly type: 'openFile'; readonly id: string }
  | { readonly type: 'openJson'; readonly level: Level }
  | { readonly type: 'refreshTools' }
