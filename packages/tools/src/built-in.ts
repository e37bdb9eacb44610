import { defineTool, type Tool, type ToolDefinition } from '@cadre/core'
import { outcomeOf } from './refusal.ts'

export interface BuiltIn<Input> extends Omit<ToolDefinition<Input>, 'adapt' | 'origin' | 'run'> {
  /** Turns what other dialects write into this tool's arguments. Gets every spelling; leaves its own shape alone. */
  readonly reshape?: (input: Record<string, unknown>, spelling: string) => Record<string, unknown>
  readonly run: Tool<Input>['run']
}

/** A tool of this package: failures are results, and its arguments are understood under all its names. */
export function builtIn<Input>({ reshape, ...definition }: BuiltIn<Input>): Tool {
  const { run, check } = definition
  const tool: Tool<Input> = defineTool<Input>({
    ...definition,
    origin: 'built-in',
    run: (input, context, signal) => outcomeOf(() => run(input, context, signal)),
    ...(check !== undefined && {
      // A path that cannot even be looked at says nothing about whether the call was carried out.
      check: (input, context, signal) => check(input, context, signal).catch(() => 'unknown' as const),
    }),
    ...(reshape !== undefined && { adapt: adapters(definition, reshape) }),
  })
  return tool as Tool
}

function adapters(
  { name, aliases = [] }: { readonly name: string; readonly aliases?: readonly string[] },
  reshape: NonNullable<BuiltIn<unknown>['reshape']>,
): NonNullable<Tool['adapt']> {
  // Names are found without regard to case, adapters are not.
  const spellings = new Set([name, ...aliases].flatMap((spelling) => [spelling, spelling.toLowerCase()]))
  return Object.fromEntries(
    [...spellings].map((spelling) => [spelling, (input: Record<string, unknown>) => reshape(input, spelling)]),
  )
}

/** The arguments without those that only explain a call to a reader. */
export function without(input: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.includes(name)))
}

/** `path` under any of the names it has in the dialects. */
export const pathAliases = { filePath: 'path', file_path: 'path', absolute_path: 'path', target_file: 'path', filename: 'path' } as const
