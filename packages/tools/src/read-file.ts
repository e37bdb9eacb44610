import { integer, object, optional, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from './built-in.ts'
import { confined } from './confine.ts'
import { openRegular } from './open-regular.ts'
import { readLines } from './read-lines.ts'
import { Refusal } from './refusal.ts'

const defaultLines = 2_000

export function readFileTool(): Tool {
  return builtIn({
    name: 'read_file',
    description:
      'Read a text file. Long files come in parts: the end of the result says how to get the next one. Use view_image for pictures.',
    class: 'read',
    effect: 'read',
    aliases: ['Read', 'readFile', 'read/readFile', 'read_text_file', 'NotebookRead', 'copilot_readFile'],
    argumentAliases: pathAliases,
    reshape: lineRange,
    input: object({
      path: string('Path of the file, relative to the workspace', { min: 1 }),
      offset: optional(integer('First line to read, counted from 1', { min: 1 })),
      limit: optional(integer(`Number of lines to read; default ${defaultLines}`, { min: 1 })),
    }),
    paths: ({ path }) => [path],
    async run({ path, offset = 1, limit = defaultLines }, { workspace }, signal) {
      const file = await confined({ workspace, path })
      await using opened = await openRegular(file)
      const part = await readLines(opened.handle, { first: offset, most: limit, size: opened.stats.size }, signal)
      if (part.kind === 'binary') throw new Refusal(`${file.shown} is not a text file; use view_image if it is a picture.`)
      if (part.kind === 'past') {
        if (part.lines === 0 && offset === 1) return { content: `[${file.shown} is empty]` }
        throw new Refusal(`${file.shown} has ${part.lines} lines; offset ${offset} is past its end.`)
      }
      return { content: part.note === '' ? part.text : `${part.text}\n[${part.note}]` }
    },
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
