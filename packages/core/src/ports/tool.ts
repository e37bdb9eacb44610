import type { Boundary, ToolClass } from './agent.ts'
import type { Image } from './entry.ts'
import type { Price } from './model.ts'
import type { Notice, Usage } from './report.ts'
import type { JsonSchema, StandardSchema } from './schema.ts'

/**
 * What a tool can change. The effect determines which calls need approval, and what happens to a call in doubt, one that was
 * interrupted: Cadre repeats `read` and checks `write`. For `execute` and `outbound` a person decides, unless the gate has found that
 * the call only reads.
 */
export type Effect = 'read' | 'write' | 'execute' | 'outbound'

export interface ToolContext {
  readonly session: string
  readonly agent: string
  readonly call: string
  /** An idempotency key: the same for every attempt of this call. Pass it to services that detect duplicates. */
  readonly key: string
  /** The absolute path of the folder that the session may change. */
  readonly workspace: string
  /** The boundary of the agent, if it has one. With `commands: 'copy'`, commands must run in a copy of the workspace. */
  readonly boundary?: Boundary
  /** Set if exactly this call was approved. Absent if rules alone allowed it. */
  readonly approved?: true
  /** Shows people what the call is doing now, in one line. Only for display: nothing is recorded, and frequent texts are dropped. */
  readonly progress?: (text: string) => void
  /** Set under a budget. Call it before each request that a server charges for, and send nothing if it refuses. */
  readonly reserve?: ReserveTokens
}

/** Reserves the most tokens that a request can use from the budgets of the session. Waits for other requests of the run. */
export type ReserveTokens = (wanted: {
  /** An upper bound. */
  readonly input: number
  /** The model's name with its prefix, as in `models` in the configuration. */
  readonly model: string
  readonly price?: Price
}) => Promise<TokenReservation>

export type TokenReservation =
  /** `settle`: once, when the request is over. Without a usage, the whole reservation counts as spent. */
  | { readonly kind: 'reserved'; settle(usage: Usage | undefined): Promise<void> }
  /** `reason`: a sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface ToolResult {
  readonly content: string
  readonly images?: readonly Image[]
  /** Set if the call failed. The model then sees the content as an error. */
  readonly failed?: boolean
  /** What a server charged for the call, such as tokens of an embedding model. Part of the session's usage. */
  readonly usage?: Usage
  /** What a person should know about the call. Part of the session's report. */
  readonly notices?: readonly Notice[]
}

/** The programs that a command line starts. */
export interface CommandsOfCall {
  /** Each program with its arguments, without quotes and wrappers: `['git', 'push', '-f']`. */
  readonly list: readonly (readonly string[])[]
  /** False if the command line may start programs that are not in the list. */
  readonly sure: boolean
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  readonly effect: Effect
  /** Set for tools that the session loop runs itself: to start a child session, to create or delete a team, and to submit the report. */
  readonly kind?: 'delegate' | 'team' | 'report'
  readonly input: StandardSchema<Input>
  /** JSON Schema of the input, shown to the model. */
  readonly parameters: JsonSchema
  /** Names of this tool in other dialects. Calls may use any of them. Models only see those that the agent file lists. */
  readonly aliases?: readonly string[]
  /** Other spellings of its arguments: `{ filePath: 'path' }`. */
  readonly argumentAliases?: { readonly [spelling: string]: string }
  /** By alias: converts arguments of a different shape into the arguments of this tool. */
  readonly adapt?: { readonly [alias: string]: (input: Record<string, unknown>) => Record<string, unknown> }
  /**
   * Where the tool comes from. If several tools have the same name, `editor` takes precedence over `custom`, `custom` over `built-in`, and
   * `built-in` over `server`.
   */
  readonly origin?: 'built-in' | 'custom' | 'editor' | 'server'
  /**
   * Set for a tool of an MCP server: the server and the tool by their own names. Lists and rules can use these. With `agent`, only this
   * agent may use the tool.
   */
  readonly server?: {
    readonly name: string
    readonly tool: string
    readonly agent?: string
    /** Set if the server is on another machine, so that it cannot change files here. */
    readonly remote?: boolean
  }
  /**
   * Set for a tool that is not set up, such as one for Slack without Slack. Only agents that name it get it; agents with all tools do not,
   * so that it does not fill their context.
   */
  readonly onlyNamed?: boolean
  /** The files and folders that the call uses, as the model wrote them. The gate checks them. */
  readonly paths?: (input: Input) => readonly string[]
  /**
   * For a tool that reaches the network: the URL that the call contacts, and no other host. Text without a host counts as
   * any host. The gate checks it: rules about fetching, such as `WebFetch(domain:…)`, apply to the tool, and an approval for
   * the session covers only this host.
   */
  readonly address?: (input: Input) => string
  /** The programs that the call would start. The gate checks them. */
  readonly commands?: (input: Input) => CommandsOfCall
  /** Runs the call. To fail, return `{ failed: true }` or throw: the model receives the failure, and the session continues. */
  run(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolResult>
  /**
   * For a call in doubt: ends what the call left running when its process was killed. `unknown`: it may still be running.
   */
  endLeftover?(context: ToolContext): Promise<'ended' | 'none' | 'unknown'>
  /** For a write in doubt: checks whether the call has already had its effect. */
  check?(input: Input, context: ToolContext, signal: AbortSignal): Promise<'done' | 'not_done' | 'unknown'>
}

export interface ToolDefinition<Input> extends Omit<Tool<Input>, 'parameters'> {
  /** Required only if `input` cannot export itself as JSON Schema. */
  readonly parameters?: JsonSchema
}

/** Defines a tool. Throws a `TypeError` if its name or schema is invalid, so that mistakes show when the tool is loaded. */
export function defineTool<Input>(definition: ToolDefinition<Input>): Tool<Input> {
  const { name } = definition
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new TypeError(
      `tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, hyphens or underscores, and begin with a letter`,
    )
  }
  const parameters = definition.parameters ?? exportSchema(definition.input)
  if (parameters === undefined) {
    throw new TypeError(
      `tool ${name}: cannot export its input schema as JSON Schema. Set "parameters" as well`,
    )
  }
  return { ...definition, parameters }
}

function exportSchema(input: StandardSchema): JsonSchema | undefined {
  if ('json' in input && typeof input.json === 'object' && input.json !== null)
    return input.json as JsonSchema
  return input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
}
