import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from '../built-in.ts'
import type { WriteRules } from './confine.ts'

const input = object({
  path: string('Path of the file, relative to the workspace', { min: 1 }),
  content: string('The whole new content'),
})

export type WriteFileInput = Infer<typeof input>

export function writeFileTool(rules: WriteRules): Tool {
  return builtIn<WriteFileInput>({
    name: 'write_file',
    description: 'Write a file: creates it, with the folders above it, or replaces all of its content.',
    class: 'edit',
    effect: 'write',
    argumentAliases: { ...pathAliases, contents: 'content', file_text: 'content', text: 'content' },
    reshape: (given) => without(given, ['explanation']),
    input,
    paths: ({ path }) => [path],
    load: async () => (await import('./write-file.ts')).writeFile(rules),
  })
}
