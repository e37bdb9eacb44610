import { defineTool, spellingsOf, type Tool, type ToolDefinition } from '@cadre/core'
import { outcomeOf } from './refusal.ts'

/** The implementation of a tool. */
export interface ToolImplementation<Input> {
  readonly run: Tool<Input>['run']
  readonly check?: NonNullable<Tool<Input>['check']>
}

export interface BuiltIn<Input>
  extends Omit<ToolDefinition<Input>, 'adapt' | 'aliases' | 'origin' | 'run' | 'check'> {
  /** Converts arguments of other dialects to those of this tool. Called for every spelling; leaves its own format unchanged. */
  readonly reshape?: (input: Record<string, unknown>, spelling: string) => Record<string, unknown>
  /** Called for each call, so that resources are opened at the first one. */
  readonly load: () => ToolImplementation<Input> | Promise<ToolImplementation<Input>>
}

/** Creates a tool of this package: failures are results, and arguments are accepted under the names of all dialects. */
export function builtIn<Input>({ reshape, load, ...definition }: BuiltIn<Input>): Tool {
  const aliases = spellingsOf(definition.name)
  const tool: Tool<Input> = defineTool<Input>({
    ...definition,
    aliases,
    origin: 'built-in',
    run: (input, context, signal) => outcomeOf(async () => (await load()).run(input, context, signal)),
    // Read-only calls are run again; all others are checked for whether they took effect.
    ...(definition.effect !== 'read' && {
      async check(input, context, signal) {
        try {
          return (await (await load()).check?.(input, context, signal)) ?? 'unknown'
        } catch {
          // If the check fails, it is unknown whether the call took effect.
          return 'unknown'
        }
      },
    }),
    ...(reshape !== undefined && { adapt: adapters([definition.name, ...aliases], reshape) }),
  })
  return tool as Tool
}

function adapters(
  names: readonly string[],
  reshape: NonNullable<BuiltIn<unknown>['reshape']>,
): NonNullable<Tool['adapt']> {
  // Tool names are case-insensitive here, but not in adapters.
  const spellings = new Set(names.flatMap((spelling) => [spelling, spelling.toLowerCase()]))
  return Object.fromEntries(
    [...spellings].map((spelling) => [
      spelling,
      (input: Record<string, unknown>) => reshape(input, spelling),
    ]),
  )
}

/** Returns the arguments without those that only explain a call to a reader. */
export function withoutArguments(
  input: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
}

/** `path` under its names in all dialects. */
export const pathAliases = {
  filePath: 'path',
  file_path: 'path',
  absolute_path: 'path',
  target_file: 'path',
  filename: 'path',
} as const
