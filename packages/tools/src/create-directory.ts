import { lstat } from 'node:fs/promises'
import { object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from './built-in.ts'
import { confined } from './confine.ts'
import { makeFolder } from './in-folder.ts'
import type { ProtectedPath } from './protected-paths.ts'
import { codeOf, Refusal } from './refusal.ts'

export function createDirectoryTool({ protectedPath }: { readonly protectedPath: ProtectedPath }): Tool {
  return builtIn({
    name: 'create_directory',
    description: 'Make a folder, with the folders above it. One that exists already stays as it is.',
    class: 'edit',
    effect: 'write',
    aliases: ['createDirectory', 'edit/createDirectory', 'mkdir', 'copilot_createDirectory'],
    argumentAliases: { ...pathAliases, dirPath: 'path', dir_path: 'path', directory: 'path' },
    reshape: (input) => without(input, ['explanation']),
    input: object({ path: string('Path of the folder, relative to the workspace', { min: 1 }) }),
    paths: ({ path }) => [path],
    async run({ path }, { workspace }) {
      const folder = await confined({ workspace, path, write: true, protectedPath })
      const before = await kindAt(folder.real)
      if (before === 'other') throw new Refusal(`${folder.shown} exists and is not a folder; choose another name.`)
      if (before === 'folder') return { content: `${folder.shown} exists already.` }
      await makeFolder(folder.root, folder.real)
      return { content: `Created ${folder.shown}.` }
    },
    async check({ path }, { workspace }) {
      const folder = await confined({ workspace, path, write: true, protectedPath })
      return (await kindAt(folder.real)) === 'folder' ? 'done' : 'not_done'
    },
  })
}

async function kindAt(target: string): Promise<'folder' | 'other' | 'nothing'> {
  try {
    return (await lstat(target)).isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'nothing'
    throw error
  }
}
