import { boolean, type Infer, integer, object, oneOf, optional, string, type Tool } from '@cadre/core'
import { builtIn } from './built-in.ts'
import type { HiddenIn } from './create-tools.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'
import { reshapeSearch } from './search-input.ts'

const query = string('The text to look for', { min: 1, max: 4_000 })
const path = optional(
  string('Folder or file to look in, relative to the workspace; default the whole workspace'),
)
const mode = optional(
  oneOf(
    ['literal', 'regex', 'words'],
    'literal (default), regex, or words: files in which most of the words occur',
  ),
)

const shape = object({
  query,
  path,
  mode,
  // Understood, not shown: what the search tools of other dialects can do besides.
  glob: optional(string('Only files whose path matches', { max: 1_000 })),
  ignoreCase: optional(boolean('Without regard to case')),
  context: optional(integer('Lines to show around each match', { min: 0, max: 20 })),
  output: optional(oneOf(['lines', 'files', 'counts'], 'What to show')),
  limit: optional(integer('Most lines or files to show', { min: 1 })),
})

export type SearchFilesInput = Infer<typeof shape>

export function searchFilesTool(locateRipgrep: LocateRipgrep | undefined, hiddenIn?: HiddenIn): Tool {
  return builtIn<SearchFilesInput>({
    name: 'search_files',
    description: 'Search the contents of files. Gives path:line: text. Files that git ignores are left out.',
    class: 'search',
    effect: 'read',
    argumentAliases: { pattern: 'query', directory: 'path', filePath: 'path', file_path: 'path' },
    reshape: reshapeSearch,
    input: shape,
    parameters: object({ query, path, mode }).json,
    paths: (input) => [input.path || '.'],
    load: async () => (await import('./search-files.ts')).searchFiles(locateRipgrep, hiddenIn),
  })
}
