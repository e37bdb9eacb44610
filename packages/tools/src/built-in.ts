import { defineTool, spellingsOf, type Tool, type ToolDefinition } from '@cadre/core'
import { outcomeOf } from './refusal.ts'

/** What a tool does. */
export interface Work<Input> {
  readonly run: Tool<Input>['run']
  readonly check?: NonNullable<Tool<Input>['check']>
}

export interface BuiltIn<Input>
  extends Omit<ToolDefinition<Input>, 'adapt' | 'aliases' | 'origin' | 'run' | 'check'> {
  /** Turns what other dialects write into this tool's arguments. Gets every spelling; leaves its own shape alone. */
  readonly reshape?: (input: Record<string, unknown>, spelling: string) => Record<string, unknown>
  /** Called for each call, so that what it opens is opened at the first. */
  readonly load: () => Work<Input> | Promise<Work<Input>>
}

/** A tool of this package: failures are results, and its arguments are understood under all the names the dialects have. */
export function builtIn<Input>({ reshape, load, ...definition }: BuiltIn<Input>): Tool {
  const aliases = spellingsOf(definition.name)
  const tool: Tool<Input> = defineTool<Input>({
    ...definition,
    aliases,
    origin: 'built-in',
    run: (input, context, signal) => outcomeOf(async () => (await load()).run(input, context, signal)),
    // What only reads is run again; of everything else it is asked whether it has happened.
    ...(definition.effect !== 'read' && {
      async check(input, context, signal) {
        try {
          return (await (await load()).check?.(input, context, signal)) ?? 'unknown'
        } catch {
          // What cannot even be looked at says nothing about whether the call was carried out.
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
  // Names are found without regard to case, adapters are not.
  const spellings = new Set(names.flatMap((spelling) => [spelling, spelling.toLowerCase()]))
  return Object.fromEntries(
    [...spellings].map((spelling) => [
      spelling,
      (input: Record<string, unknown>) => reshape(input, spelling),
    ]),
  )
}

/** The arguments without those that only explain a call to a reader. */
export function without(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
}

/** `path` under any of the names it has in the dialects. */
export const pathAliases = {
  filePath: 'path',
  file_path: 'path',
  absolute_path: 'path',
  target_file: 'path',
  filename: 'path',
} as const
