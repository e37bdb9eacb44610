import { type Infer, integer, object, optional, string, type Tool } from '@cadre/core'
import type { PathResolver } from '@cadre/gate'
import { builtIn, pathAliases, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { confinePath } from './confine-path.ts'
import { type Documents, documentsOfCall } from './documents.ts'
import { openRegularFile } from './open-file.ts'
import { lineSourceOf, readLines } from './read-lines.ts'

const defaultLines = 2_000
/** Larger files are not read through an editor, in bytes. */
const maxUnsaved = 4 * 1_024 * 1_024

const input = object({
  path: string('Path of the file, relative to the workspace', { min: 1 }),
  offset: optional(integer('First line to read, counted from 1', { min: 1 })),
  limit: optional(integer(`Number of lines to read; default ${defaultLines}`, { min: 1 })),
})

export type ReadFileInput = Infer<typeof input>

export function readFileTool(places?: PathResolver, documents?: Documents): Tool {
  return builtIn<ReadFileInput>({
    name: 'read_file',
    description:
      'Read a text file. Long files are returned in parts: the end of the result shows how to get the next part. Use view_image for images.',
    class: 'read',
    effect: 'read',
    argumentAliases: pathAliases,
    reshape: lineRange,
    input,
    paths: ({ path }) => [path],
    load: () => readFile(places, documents),
  })
}

/** Editors pass the first and last line, separately or as a list; some count from 0 or use 0 for the start. */
function lineRange(input: Record<string, unknown>): Record<string, unknown> {
  const { view_range, ...written } = withoutArguments(input, ['explanation'])
  const [first, last] = Array.isArray(view_range) ? (view_range as unknown[]) : []
  const { startLine = first, endLine = last, ...rest } = written
  const given: Record<string, unknown> = { ...rest }
  if (given['offset'] === 0) given['offset'] = 1
  if (startLine === undefined && endLine === undefined) return given
  const from = typeof startLine === 'number' && startLine > 0 ? startLine : 1
  given['offset'] ??= from
  if (typeof endLine === 'number' && endLine >= from) given['limit'] ??= endLine - from + 1
  return given
}

const readFile = (places?: PathResolver, documents?: Documents): ToolImplementation<ReadFileInput> => ({
  async run({ path, offset = 1, limit = defaultLines }, context, signal) {
    const file = confinePath({ context, path, places })
    await using opened = await openRegularFile(file)
    const unsaved =
      opened.stats.size > maxUnsaved
        ? undefined
        : await documentsOfCall(documents, context, signal)?.read(file, await opened.handle.readFile())
    const part = await readLines(
      unsaved === undefined ? opened.handle : lineSourceOf(unsaved),
      { first: offset, max: limit, size: unsaved?.length ?? opened.stats.size },
      signal,
    )
    if (part.kind === 'binary')
      throw new Refusal(`${file.shown} is not a text file. If it is an image, use view_image.`)
    if (part.kind === 'past') {
      if (part.lines === 0 && offset === 1) return { content: `[${file.shown} is empty]` }
      throw new Refusal(`Offset ${offset} is past the end of ${file.shown}, which has ${part.lines} lines.`)
    }
    return { content: part.note === '' ? part.text : `${part.text}\n[${part.note}]` }
  },
})
