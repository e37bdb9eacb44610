import { object, string, type Tool } from '@cadre/core'
import { builtIn, pathAliases, without } from './built-in.ts'
import { confined } from './confine.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { openRegular } from './open-regular.ts'
import type { ProtectedPath } from './protected-paths.ts'
import { Refusal } from './refusal.ts'
import { replaceFile } from './replace-file.ts'

export function writeFileTool({ protectedPath }: { readonly protectedPath: ProtectedPath }): Tool {
  return builtIn({
    name: 'write_file',
    description: 'Write a file: creates it, with the folders above it, or replaces all of its content.',
    class: 'edit',
    effect: 'write',
    aliases: ['Write', 'create_file', 'createFile', 'edit/createFile', 'create', 'copilot_createFile'],
    argumentAliases: { ...pathAliases, contents: 'content', file_text: 'content', text: 'content' },
    reshape: (input) => without(input, ['explanation']),
    input: object({
      path: string('Path of the file, relative to the workspace', { min: 1 }),
      content: string('The whole new content'),
    }),
    paths: ({ path }) => [path],
    async run({ path, content }, { workspace, key }) {
      const file = await confined({ workspace, path, write: true, protectedPath })
      if (file.shown === '.') throw new Refusal('The path is the workspace itself; name a file in it.')
      await oneAtATime([file.real], () => replaceFile(file, { content, key, expected: 'anything' }))
      const size = Buffer.byteLength(content)
      return { content: `Wrote ${file.shown} (${size} ${size === 1 ? 'byte' : 'bytes'}).` }
    },
    async check({ path, content }, { workspace }) {
      const file = await confined({ workspace, path, write: true, protectedPath })
      try {
        await using opened = await openRegular(file)
        if (opened.stats.size !== Buffer.byteLength(content)) return 'not_done'
        return (await opened.handle.readFile()).equals(Buffer.from(content)) ? 'done' : 'not_done'
      } catch (error) {
        if (error instanceof Refusal) return 'not_done'
        throw error
      }
    },
  })
}
