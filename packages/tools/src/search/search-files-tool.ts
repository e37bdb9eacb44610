import { boolean, type Infer, integer, object, oneOf, optional, string, type Tool } from '@cadre/core'
import type { Places } from '@cadre/gate'
import { builtIn, type Work } from '../built-in.ts'
import type { HiddenIn } from '../create-tools.ts'
import type { LoadEmbed } from '../search-ranked/embed.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'
import { reshapeSearch } from './search-input.ts'

const query = string('The text to look for', { min: 1, max: 4_000 })
const path = optional(
  string('Folder or file to look in, relative to the workspace; default the whole workspace'),
)
const mode = optional(
  oneOf(
    ['exact', 'regex', 'ranked', 'semantic'],
    'exact (default), regex, ranked: passages that have most of the words, semantic: passages by meaning, where configured',
  ),
)

const shape = object({
  query,
  path,
  // The older names are understood, and no longer shown.
  mode: optional(oneOf(['exact', 'literal', 'regex', 'words', 'ranked', 'semantic'], 'How to search')),
  // Understood, not shown: what the search tools of other dialects can do besides.
  glob: optional(string('Only files whose path matches', { max: 1_000 })),
  ignoreCase: optional(boolean('Without regard to case')),
  context: optional(integer('Lines to show around each match', { min: 0, max: 20 })),
  output: optional(oneOf(['lines', 'files', 'counts'], 'What to show')),
  limit: optional(integer('Most lines or files to show', { min: 1 })),
})

export type SearchFilesInput = Infer<typeof shape>

export interface SearchOptions {
  /** Where what was learned about folders is kept; in memory only when absent. */
  readonly home?: string | undefined
  readonly places?: Places | undefined
  readonly locateRipgrep?: LocateRipgrep | undefined
  readonly hiddenIn?: HiddenIn | undefined
  /** What searches by meaning are made with; without it they are by words. */
  readonly loadEmbed?: LoadEmbed | undefined
}

export function searchFilesTool(options: SearchOptions = {}): Tool {
  let work: Promise<Work<SearchFilesInput>> | undefined
  return builtIn<SearchFilesInput>({
    name: 'search_files',
    description:
      'Search the contents of files. Gives path:line: text; with mode ranked the passages that fit a question best. Files that git ignores are left out.',
    class: 'search',
    effect: 'read',
    argumentAliases: { pattern: 'query', directory: 'path', filePath: 'path', file_path: 'path' },
    reshape: reshapeSearch,
    input: shape,
    parameters: object({ query, path, mode }).json,
    paths: (input) => [input.path || '.'],
    load: () => {
      // One for all calls: it remembers what it has read.
      work ??= import('./search-files.ts').then(({ searchFiles }) => searchFiles(options))
      return work
    },
  })
}
