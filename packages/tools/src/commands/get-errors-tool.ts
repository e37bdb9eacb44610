import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import type { Places } from '@cadre/gate'
import { builtIn } from '../built-in.ts'
import { whenKnown } from '../tasks/when-known.ts'
import type { CommandOptions } from './execute-command-tool.ts'

/** The command that checks a workspace, as words: no shell reads it. */
export interface CheckOptions {
  readonly command: readonly string[]
  readonly timeoutSeconds?: number
}

const input = object({ path: optional(string('Only errors in this file or folder')) })

export type GetErrorsInput = Infer<typeof input>

export function getErrorsTool(
  check: CheckOptions | undefined,
  places: Places,
  options: CommandOptions = {},
): Tool {
  return builtIn<GetErrorsInput>({
    name: 'get_errors',
    description:
      'Run the configured check of this workspace (compiler, linter) and list its errors as path:line: message.',
    class: 'execute',
    effect: 'execute',
    argumentAliases: { filePath: 'path', file_path: 'path' },
    reshape: firstPath,
    input: whenKnown(input, options.sandbox),
    paths: ({ path }) => [path || '.'],
    load: async () => (await import('./get-errors.ts')).getErrors(check, places, options),
  })
}

function firstPath(input: Record<string, unknown>): Record<string, unknown> {
  const { filePaths, ...rest } = input
  if (!Array.isArray(filePaths)) return rest
  return filePaths.length === 1 ? { ...rest, path: filePaths[0] as unknown } : rest
}
