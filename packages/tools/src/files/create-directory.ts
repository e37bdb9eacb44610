import { lstat } from 'node:fs/promises'
import { type Infer, object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, type ToolImplementation, withoutArguments } from '../built-in.ts'
import { codeOf, Refusal } from '../refusal.ts'
import { makeFolder } from '../search/with-pinned-folder.ts'
import { confinePath, type WriteRules } from './confine-path.ts'
import { serializeWrites } from './serialize-writes.ts'

const input = object({ path: string('Path of the folder, relative to the workspace', { min: 1 }) })

export type CreateDirectoryInput = Infer<typeof input>

export function createDirectoryTool(rules: WriteRules): Tool {
  return builtIn<CreateDirectoryInput>({
    name: 'create_directory',
    description: 'Create a folder and its missing parent folders. An existing folder stays unchanged.',
    class: 'edit',
    effect: 'write',
    argumentAliases: { ...pathAliases, dirPath: 'path', dir_path: 'path', directory: 'path' },
    reshape: (given) => withoutArguments(given, ['explanation']),
    input,
    paths: ({ path }) => [path],
    load: () => createDirectory(rules),
  })
}

function createDirectory(rules: WriteRules): ToolImplementation<CreateDirectoryInput> {
  return {
    async run({ path }, context) {
      const folder = confinePath({ path, context, write: rules })
      const before = await kindAt(folder.real)
      if (before === 'other')
        throw new Refusal(`${folder.shown} exists and is not a folder. Choose another name.`)
      if (before === 'folder') return { content: `${folder.shown} already exists.` }
      await serializeWrites([folder], () => {
        const { root, real } = confinePath({ path, context, write: rules })
        return makeFolder(root, real)
      })
      return { content: `Created ${folder.shown}.` }
    },
    async check({ path }, context) {
      const folder = confinePath({ path, context, write: rules })
      return (await kindAt(folder.real)) === 'folder' ? 'done' : 'not_done'
    },
  }
}

async function kindAt(target: string): Promise<'folder' | 'other' | 'nothing'> {
  try {
    return (await lstat(target)).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'nothing'
    throw error
  }
}
