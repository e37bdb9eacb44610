import { type Infer, object, optional, string, type Tool } from '@cadre/core'
import type { Places } from '@cadre/gate'
import { builtIn, pathAliases, without } from '../built-in.ts'
import type { HiddenIn } from '../create-tools.ts'

const input = object({
  path: optional(string('Path of the folder, relative to the workspace; default the workspace itself')),
})

export type ListDirectoryInput = Infer<typeof input>

export function listDirectoryTool(hiddenIn?: HiddenIn, places?: Places): Tool {
  return builtIn<ListDirectoryInput>({
    name: 'list_directory',
    description: 'List a folder: folders end in /, symbolic links in @.',
    class: 'read',
    effect: 'read',
    argumentAliases: { ...pathAliases, dirPath: 'path', dir_path: 'path', directory: 'path' },
    reshape: (given) => without(given, ['explanation', 'ignore']),
    input,
    paths: ({ path }) => [path || '.'],
    load: async () => (await import('./list-directory.ts')).listDirectory(hiddenIn, places),
  })
}
