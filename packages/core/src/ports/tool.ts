import type { Boundary, ToolClass } from './agent.ts'
import type { Image } from './entry.ts'
import type { JsonSchema, StandardSchema } from './schema.ts'

/**
 * What running a tool can change. It decides what the gate asks for and what happens to a call in doubt:
 * `read` is run again, `write` is checked, a person decides about `execute` and `outbound`, unless the gate says that the call only reads.
 */
export type Effect = 'read' | 'write' | 'execute' | 'outbound'

export interface ToolContext {
  readonly session: string
  readonly agent: string
  readonly call: string
  /** The same on every try of this call: pass it on to whatever can recognise a repetition. */
  readonly key: string
  /** Absolute path of the folder the session may change. */
  readonly workspace: string
  /** The boundary of the agent, where it has one: commands of some run on a copy. */
  readonly boundary?: Boundary
  /** Somebody has agreed to exactly this call. Without it, rules alone have allowed it. */
  readonly approved?: true
}

export interface ToolResult {
  readonly content: string
  readonly images?: readonly Image[]
  /** Set when the tool could not do what was asked: the model sees the content as an error. */
  readonly failed?: boolean
}

/** What a command line comes down to. */
export interface CommandsOfCall {
  /** Each program with its arguments, without quotes and wrappers: `['git', 'push', '-f']`. */
  readonly list: readonly (readonly string[])[]
  /** False where more may be hidden in the line than was found. */
  readonly sure: boolean
}

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  readonly effect: Effect
  /** Tools the loop itself carries out: starting a child session, creating and deleting a team, and handing in the report. */
  readonly kind?: 'delegate' | 'team' | 'report'
  readonly input: StandardSchema<Input>
  /** JSON Schema of the input, shown to the model. */
  readonly parameters: JsonSchema
  /** Other names of this tool in the dialects; all of them are accepted, none is offered unless an agent's file names it. */
  readonly aliases?: readonly string[]
  /** Other spellings of its arguments: `{ filePath: 'path' }`. */
  readonly argumentAliases?: { readonly [spelling: string]: string }
  /** Turns the arguments of an alias with another shape into this tool's. Keyed by alias. */
  readonly adapt?: { readonly [alias: string]: (input: Record<string, unknown>) => Record<string, unknown> }
  /** Where it comes from: same name from several sources is settled `editor` over `custom` over `built-in`. */
  readonly origin?: 'built-in' | 'custom' | 'editor'
  /** Files and folders the call is about, for the gate. As the model wrote them. */
  readonly paths?: (input: Input) => readonly string[]
  /** The programs the call would start, for the gate. */
  readonly commands?: (input: Input) => CommandsOfCall
  /** A failure is `{ failed: true }` or a thrown error: both reach the model as an outcome, neither ends the session. */
  run(input: Input, context: ToolContext, signal: AbortSignal): Promise<ToolResult>
  /** For writes in doubt: is the world already as this call would leave it? */
  check?(input: Input, context: ToolContext, signal: AbortSignal): Promise<'done' | 'not_done' | 'unknown'>
}

export interface ToolDefinition<Input> extends Omit<Tool<Input>, 'parameters'> {
  /** Needed only when the schema cannot export itself as JSON Schema. */
  readonly parameters?: JsonSchema
}

/** Checks a definition where it is written, so that a mistake is found at load time and not in the middle of a run. */
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
