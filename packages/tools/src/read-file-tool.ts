import { type Infer, integer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from './built-in.ts'

export const defaultLines = 2_000

const input = object({
  path: string('Path of the file, relative to the workspace', { min: 1 }),
  offset: optional(integer('First line to read, counted from 1', { min: 1 })),
  limit: optional(integer(`Number of lines to read; default ${defaultLines}`, { min: 1 })),
})

export type ReadFileInput = Infer<typeof input>

export function readFileTool(): Tool {
  return builtIn<ReadFileInput>({
    name: 'read_file',
    description:
      'Read a text file. Long files come in parts: the end of the result says how to get the next one. Use view_image for pictures.',
    class: 'read',
    effect: 'read',
    aliases: ['Read', 'readFile', 'read/readFile', 'read_text_file', 'NotebookRead', 'copilot_readFile'],
    argumentAliases: pathAliases,
    reshape: lineRange,
    input,
    paths: ({ path }) => [path],
    load: async () => (await import('./read-file.ts')).readFile,
  })
}

/** Editors name the first and the last line; some count from 0 or write 0 for "from the beginning". */
function lineRange(input: Record<string, unknown>): Record<string, unknown> {
  const { startLine, endLine, ...rest } = without(input, ['explanation'])
  const given: Record<string, unknown> = { ...rest }
  if (given['offset'] === 0) given['offset'] = 1
  if (startLine === undefined && endLine === undefined) return given
  const first = typeof startLine === 'number' && startLine > 0 ? startLine : 1
  given['offset'] ??= first
  if (typeof endLine === 'number' && endLine >= first) given['limit'] ??= endLine - first + 1
  return given
}
