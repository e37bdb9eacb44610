import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { Refusal } from '../refusal.ts'
import { confinePath, type WriteRules } from './confine-path.ts'
import { documentsOfCall } from './documents.ts'
import { readFileIfExists } from './file-change.ts'
import { MissingFile, openRegularFile } from './open-file.ts'
import { replaceFile } from './replace-file.ts'
import { serializeWrites } from './serialize-writes.ts'

const input = object({
  path: string('Path of the file, relative to the workspace', { min: 1 }),
  content: string('The complete new content'),
})

/** How the result of a call that created its file begins. */
export const createdSummary = 'Created '

export type WriteFileInput = Infer<typeof input>

export function writeFileTool(rules: WriteRules): Tool {
  return builtIn<WriteFileInput>({
    name: 'write_file',
    description:
      'Write a file. Creates the file and its missing parent folders, or replaces its whole content.',
    class: 'edit',
    effect: 'write',
    argumentAliases: { ...pathAliases, contents: 'content', file_text: 'content', text: 'content' },
    reshape: (given) => withoutArguments(given, ['explanation']),
    input,
    paths: ({ path }) => [path],
    load: () => writeFile(rules),
  })
}

function writeFile(rules: WriteRules): ToolImplementation<WriteFileInput> {
  return {
    async run({ path, content }, context, signal) {
      const file = confinePath({ path, context, write: rules })
      if (file.shown === '.')
        throw new Refusal('The path is the workspace itself. Use the path of a file in it.')
      const documents = documentsOfCall(rules.documents, context, signal)
      const end = await serializeWrites([file], async () => {
        const now = confinePath({ path, context, write: rules })
        const before = documents && (await readFileIfExists(now, documents).catch(() => 'unknown' as const))
        const made = await replaceFile(now, { content, key: context.key, expected: 'anything', documents })
        if (before !== 'unknown') documents?.changed(now, before?.bytes, content)
        return made
      })
      const size = Buffer.byteLength(content)
      const did = end === 'created' ? createdSummary : 'Wrote '
      return { content: `${did}${file.shown} (${size} ${size === 1 ? 'byte' : 'bytes'}).` }
    },
    async check({ path, content }, context) {
      const file = confinePath({ path, context, write: rules })
      try {
        await using opened = await openRegularFile(file)
        if (opened.stats.size !== Buffer.byteLength(content)) return 'not_done'
        return (await opened.handle.readFile()).equals(Buffer.from(content)) ? 'done' : 'not_done'
      } catch (error) {
        if (error instanceof MissingFile) return 'not_done'
        throw error
      }
    },
  }
}
