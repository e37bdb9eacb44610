import { lstat } from 'node:fs/promises'
import type { Work } from '../built-in.ts'
import { codeOf, Refusal } from '../refusal.ts'
import { makeFolder } from '../search/in-folder.ts'
import { confined, type WriteRules } from './confine.ts'
import type { CreateDirectoryInput } from './create-directory-tool.ts'
import { inTurn } from './write-turn.ts'

export function createDirectory(rules: WriteRules): Work<CreateDirectoryInput> {
  return {
    async run({ path }, context) {
      const folder = confined({ path, context, write: rules })
      const before = await kindAt(folder.real)
      if (before === 'other')
        throw new Refusal(`${folder.shown} exists and is not a folder; choose another name.`)
      if (before === 'folder') return { content: `${folder.shown} exists already.` }
      await inTurn([folder], () => {
        const { root, real } = confined({ path, context, write: rules })
        return makeFolder(root, real)
      })
      return { content: `Created ${folder.shown}.` }
    },
    async check({ path }, context) {
      const folder = confined({ path, context, write: rules })
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
