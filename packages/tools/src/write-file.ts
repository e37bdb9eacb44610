import type { Work } from './built-in.ts'
import { confined } from './confine.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { Missing, openRegular } from './open-regular.ts'
import type { ProtectedPath } from './protected-paths.ts'
import { Refusal } from './refusal.ts'
import { replaceFile } from './replace-file.ts'
import type { WriteFileInput } from './write-file-tool.ts'

export function writeFile(protectedPath: ProtectedPath): Work<WriteFileInput> {
  return {
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
        if (error instanceof Missing) return 'not_done'
        throw error
      }
    },
  }
}
