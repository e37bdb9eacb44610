import type { AgentRegistry, EditorSettings } from '@cadre/agents'
import type { ModelsOptions } from '@cadre/backends'
import type { Agents, Ledger, Models, Notice, RunLimits, Tool } from '@cadre/core'
import type { Evidence, Guard } from '@cadre/gate'
import type { Config, Enforcement, Grants, Home, LoadedPolicy, TeamFiles, TrustItem } from '@cadre/home'
import type { KnowledgeSource } from '@cadre/knowledge'
import type { ServerConfig } from '@cadre/mcp'
import type { Telemetry } from '@cadre/telemetry'
import type { Documents, WatchCommand } from '@cadre/tools'
import type { GateFlags } from './gate-flags.ts'
import type { LoadedServers } from './load-servers.ts'
import type { ElicitFromPerson } from './person-port.ts'

export interface PartsOptions extends GateFlags {
  readonly home?: string | undefined
  /** The folder that agents may change. The run can use the agents of its project. Default: the current folder. */
  readonly workspace?: string | undefined
  /** The built-in team to use: `NAME` or `NAME/VARIANT`. */
  readonly team?: string | undefined
  /** False: use the agents in the team, but none of the permissions that it ships with. */
  readonly teamPermits?: boolean | undefined
  /** The agent to start or to explain. If it is built in, its team is loaded too. */
  readonly agent?: string | undefined
  /** For a resumed run: the agents that its entry session may delegate to. */
  readonly targets?: readonly string[] | undefined
  readonly model?: string | undefined
  readonly depth?: number | undefined
  readonly concurrency?: number | undefined
  readonly maxTurns?: number | undefined
  readonly trust?: boolean | undefined
  /** For a resumed run: what `--trust` covered when it started. */
  readonly granted?: readonly TrustItem[] | undefined
  /**
   * Ignores the agents, hooks, configuration and home in the folder, even if the folder is trusted. Agents are read-only. For programs
   * that ask their users about trust themselves, such as an editor in restricted mode.
   */
  readonly restricted?: boolean | undefined
  /** Asks whether to trust the folder even if the user has declined before. */
  readonly asksAgain?: boolean | undefined
  /** False: the system prompt of a session has no instructions, skills or facts about the environment. */
  readonly knowledge?: boolean | undefined
  /** A sentence that tells the user how to trust the folder. Default: the instructions for the command line. */
  readonly howToTrust?: string | undefined
  /** Rejects if the home is not trusted, instead of using a temporary one. */
  readonly needsHome?: boolean | undefined
  /** Tools of the program that runs Cadre, such as an editor. They take precedence over custom and built-in tools with the same name. */
  readonly tools?: readonly Tool[] | undefined
  /** The editor that runs Cadre, if it reads and writes files itself. */
  readonly documents?: Documents | undefined
  /** Shows the output of commands to a person while they run. */
  readonly watchCommand?: WatchCommand | undefined
  /** Settings of the editor that runs Cadre, used instead of `.vscode/settings.json`. */
  readonly settings?: EditorSettings | undefined
  /** Model backends of the program that runs Cadre, by the prefix of their model names. */
  readonly backends?: ModelsOptions['backends']
  /** Replaces the artifacts in workspaces. A replay reads them from its fixture. */
  readonly evidence?: Evidence | undefined
  /** False: no hook runs, and none decides anything. */
  readonly runsHooks?: boolean | undefined
  /** Receives messages to the user during the run, one sentence each. */
  readonly tell?: ((message: string) => void) | undefined
  /** Exports what happens in the run. See `openTelemetry`. */
  readonly telemetry?: Telemetry | undefined
  /** MCP servers of the program that runs Cadre, such as an editor. */
  readonly mcpServers?: readonly ServerConfig[] | undefined
  /** False: do not start the MCP servers in files of VS Code. For VS Code, which offers their tools itself. */
  readonly editorFiles?: boolean | undefined
  /** True: MCP servers that were never used start now, so that agents see their tools. The caller must close `servers`. */
  readonly startsServers?: boolean | undefined
  /** `files`: ignores the engine in the configuration, so budgets that all runs share are kept in files in the home. */
  readonly engine?: 'files' | 'restate' | undefined
  /** Asks a person the questions of MCP servers. Without it, servers cannot ask. */
  readonly elicit?: ElicitFromPerson | undefined
}

/** The parts of a run. */
export interface RunParts {
  readonly home: Home
  /** The settings of the user and of the home that apply to this run. */
  readonly config: Config
  /** The policy, including the settings of the user. */
  readonly policy: LoadedPolicy
  readonly enforced: Enforcement
  /** All agents that were read, with the problems in their files. */
  readonly registry: AgentRegistry
  /** The agents that the run can use. */
  readonly agents: Agents
  /** The default agent. */
  readonly entry?: string
  readonly tools: readonly Tool[]
  /** The MCP servers. They start with the first call of one of their tools. */
  readonly servers: LoadedServers
  readonly teams: TeamFiles
  /** Budgets and limits that all runs of the home share. */
  readonly ledger?: Ledger | undefined
  /** What the folder contains that needs trust, and whether it is trusted. */
  readonly brought: readonly TrustItem[]
  /** Whether a person has agreed to a file of the folder, as it is now. */
  readonly trusts: (item: TrustItem) => boolean
  readonly trusted: boolean
  /** The flags that were recorded for individual runs. */
  readonly grants: Grants
  /** The rules for calls, in addition to those of core and the policy rules about agents. */
  readonly guard: Guard
  /** What sessions know besides the prompt of their agent. */
  readonly knowledge?: KnowledgeSource
  readonly models: Models
  /** The limits in effect, and the requested limits. */
  readonly limits: RunLimits
  readonly wanted: Partial<RunLimits>
  /** `--model`. */
  readonly model?: string
  /** Where the default model is set. */
  readonly modelFrom: string
  /** Messages to the user. */
  readonly notices: readonly Notice[]
}
