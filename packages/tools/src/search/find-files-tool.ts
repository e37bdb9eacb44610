import path from 'node:path'
import { type Infer, object, string, type Tool } from '@cadre/core'
import type { Places } from '@cadre/gate'
import { builtIn, without } from '../built-in.ts'
import type { HiddenIn } from '../create-tools.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'

const input = object({
  glob: string('The pattern; without a / it is looked for in every folder', { min: 1, max: 1_000 }),
})

export type FindFilesInput = Infer<typeof input>

export function findFilesTool(
  locateRipgrep: LocateRipgrep | undefined,
  hiddenIn?: HiddenIn,
  places?: Places,
): Tool {
  return builtIn<FindFilesInput>({
    name: 'find_files',
    description:
      'Find files by name: a pattern such as **/*.ts or src/**/test_*.py. Files that git ignores are left out.',
    class: 'search',
    effect: 'read',
    argumentAliases: { pattern: 'glob', query: 'glob' },
    reshape: patternBelow,
    input,
    paths: (given) => [folderOf(given.glob)],
    load: async () => (await import('./find-files.ts')).findFiles(locateRipgrep, hiddenIn, places),
  })
}

/** The part of a pattern before anything variable: where the call looks. */
export function folderOf(pattern: string): string {
  const fixed = pattern.split(/[*?[{]/, 1)[0] ?? ''
  return fixed.slice(0, fixed.lastIndexOf('/') + 1) || '.'
}

/** Some dialects name the folder to look in beside the pattern. */
function patternBelow(input: Record<string, unknown>): Record<string, unknown> {
  const { path: folder, ...rest } = without(input, ['explanation', 'maxResults'])
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
