import path from 'node:path'
import type { ToolContext } from '@cadre/core'
import type { Work } from './built-in.ts'
import { confined } from './confine.ts'
import type { HiddenIn } from './create-tools.ts'
import { type FindFilesInput, folderOf } from './find-files-tool.ts'
import { glob } from './glob.ts'
import { locateRipgrep as installed } from './locate-ripgrep.ts'
import { Refusal } from './refusal.ts'
import { ripgrep, shownName } from './ripgrep.ts'
import { walk } from './walk.ts'

const mostFiles = 1_000

export function findFiles(locateRipgrep = installed, hiddenIn?: HiddenIn): Work<FindFilesInput> {
  return {
    async run(input, context, signal) {
      const root = confined({ context, path: '.' })
      const pattern = relativePattern(input.glob, context)
      const matches = glob(pattern)
      if (matches === undefined)
        throw new Refusal('The pattern has too many alternatives in braces; use a simpler one.')
      const found: string[] = []
      let more = false
      const isHidden = hiddenIn?.(context.workspace)
      const take = (file: string) => {
        if (!matches(file) || isHidden?.(path.join(root.real, file)) === true) return true
        if (found.length === mostFiles) more = true
        else found.push(file)
        return !more
      }
      const program = await locateRipgrep()
      if (program !== undefined) {
        const args = ['--files', '--null', '--sort=path']
        await ripgrep(
          {
            program,
            root: root.real,
            folder: root.real,
            args,
            separator: '\0',
            take: (name) => take(shownName(name)),
          },
          signal,
        )
      } else for await (const file of walk(root.real, '.', signal)) if (!take(file)) break
      if (found.length === 0) return { content: `No file matches ${input.glob}.` }
      const note = more ? [`[the first ${mostFiles} are shown; use a narrower pattern]`] : []
      return { content: [...found, ...note].join('\n') }
    },
  }
}

function relativePattern(pattern: string, context: ToolContext): string {
  const folder = folderOf(pattern)
  const rest = folder === '.' ? pattern : pattern.slice(folder.length)
  if (rest.split('/').includes('..')) {
    throw new Refusal('The pattern contains .. after a wildcard; write it without.')
  }
  if (folder === '.') return pattern
  const { shown } = confined({ context, path: folder })
  return shown === '.' ? `/${rest}` : `/${shown}/${rest}`
}
