import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from '../built-in.ts'
import type { WriteRules } from './confine.ts'

const input = object({ path: string('Path of the folder, relative to the workspace', { min: 1 }) })

export type CreateDirectoryInput = Infer<typeof input>

export function createDirectoryTool(rules: WriteRules): Tool {
  return builtIn<CreateDirectoryInput>({
    name: 'create_directory',
    description: 'Make a folder, with the folders above it. One that exists already stays as it is.',
    class: 'edit',
    effect: 'write',
    argumentAliases: { ...pathAliases, dirPath: 'path', dir_path: 'path', directory: 'path' },
    reshape: (given) => without(given, ['explanation']),
    input,
    paths: ({ path }) => [path],
    load: async () => (await import('./create-directory.ts')).createDirectory(rules),
  })
}
