import path from 'node:path'
import { type Infer, object, string, type Tool } from '@cadre/core'
import { glob } from '@cadre/disk'
import type { PathResolver } from '@cadre/gate'
import { builtIn, type ToolImplementation, withoutArguments } from '../built-in.ts'
import type { HiddenFileFilter } from '../create-tools.ts'
import { type ConfinedPath, confinePath, isHiddenPath } from '../files/confine-path.ts'
import { Refusal } from '../refusal.ts'
import { locateRipgrep as installed, type LocateRipgrep } from './locate-ripgrep.ts'
import { ripgrep, toDisplayPath } from './ripgrep.ts'
import { walkFolder } from './walk.ts'

const input = object({
  glob: string('The pattern; without a / it matches in every folder', { min: 1, max: 1_000 }),
})

export type FindFilesInput = Infer<typeof input>

export function findFilesTool(
  locateRipgrep: LocateRipgrep | undefined,
  hiddenIn?: HiddenFileFilter,
  places?: PathResolver,
): Tool {
  return builtIn<FindFilesInput>({
    name: 'find_files',
    description:
      'Find files by name: a pattern such as **/*.ts or src/**/test_*.py. Files that git ignores are omitted.',
    class: 'search',
    effect: 'read',
    argumentAliases: { pattern: 'glob', query: 'glob' },
    reshape: patternBelow,
    input,
    paths: (given) => [globBase(given.glob)],
    load: () => findFiles(locateRipgrep, hiddenIn, places),
  })
}

/** Returns the fixed start of a pattern: the folder to search. */
function globBase(pattern: string): string {
  const fixed = pattern.split(/[*?[{]/, 1)[0] ?? ''
  return fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.'
}

/** Some dialects pass the folder separately from the pattern. */
function patternBelow(input: Record<string, unknown>): Record<string, unknown> {
  const { path: folder, ...rest } = withoutArguments(input, ['explanation', 'maxResults'])
  const name = ['glob', 'pattern', 'query', 'glob_pattern'].find(
    (candidate) => typeof rest[candidate] === 'string',
  )
  if (name === undefined) return input
  const pattern = String(rest[name])
  const below = typeof folder === 'string' && folder !== '' && folder !== '.' && !path.isAbsolute(pattern)
  const { [name]: _, ...others } = rest
  return {
    ...others,
    glob: below ? `${folder.replace(/\/+$/, '')}/${pattern.includes('/') ? '' : '**/'}${pattern}` : pattern,
  }
}

const maxFiles = 1_000

function findFiles(
  locateRipgrep = installed,
  hiddenIn?: HiddenFileFilter,
  places?: PathResolver,
): ToolImplementation<FindFilesInput> {
  return {
    async run(input, context, signal) {
      const place = confinePath({ context, path: globBase(input.glob), places })
      const pattern = relativePattern(input.glob, place)
      const matches = glob(pattern)
      if (matches === undefined)
        throw new Refusal('The pattern has too many alternatives in braces. Use a simpler one.')
      const found: string[] = []
      let more = false
      const isHidden = hiddenIn?.(context.workspace)
      // Mounts are searched only if the pattern names them.
      const { root, prefix } =
        place.mount === undefined
          ? { root: place.root, prefix: '' }
          : { root: place.mount.folder, prefix: `${place.mount.name}/` }
      const take = (name: string) => {
        const file = prefix + name
        if (!matches(file) || isHiddenPath(place, file, isHidden)) return true
        if (found.length === maxFiles) more = true
        else found.push(file)
        return !more
      }
      const program = await locateRipgrep()
      if (program !== undefined) {
        const args = ['--files', '--null', '--sort=path']
        await ripgrep(
          {
            program,
            root,
            folder: root,
            args,
            separator: '\0',
            take: (name) => take(toDisplayPath(name)),
          },
          signal,
        )
      } else for await (const file of walkFolder(root, '.', signal)) if (!take(file)) break
      if (found.length === 0) return { content: `No file matches ${input.glob}.` }
      const note = more ? [`[Only the first ${maxFiles} files are shown. Use a narrower pattern]`] : []
      return { content: [...found, ...note].join('\n') }
    },
  }
}

function relativePattern(pattern: string, { shown }: ConfinedPath): string {
  const folder = globBase(pattern)
  const rest = folder === '.' ? pattern : pattern.slice(folder.length)
  if (rest.split('/').includes('..')) {
    throw new Refusal('The pattern contains .. after a wildcard. Remove it.')
  }
  if (folder === '.') return pattern
  return shown === '.' ? `/${rest}` : `/${shown}/${rest}`
}
