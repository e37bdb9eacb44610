import path from 'node:path'
import {
  addUsage,
  boolean,
  type Infer,
  integer,
  noUsage,
  object,
  oneOf,
  optional,
  string,
  type Tool,
  type ToolContext,
  type Usage,
} from '@cadre/core'
import { glob, isInside, type Matcher } from '@cadre/disk'
import type { PathResolver } from '@cadre/gate'
import { builtIn, type ToolImplementation } from '../built-in.ts'
import type { HiddenFileFilter } from '../create-tools.ts'
import { type ConfinedPath, confinePath, isHiddenPath } from '../files/confine-path.ts'
import { Refusal } from '../refusal.ts'
import { locateRipgrep as installed, type LocateRipgrep } from './locate-ripgrep.ts'
import type { EmbedLoader } from './ranked/embed.ts'
import type { RankedSearch } from './ranked/ranked-search.ts'
import type { SearchRoot } from './ranked/scan-files.ts'
import type { ShownPart } from './ranked/show-passages.ts'
import { searchExactly } from './search-exactly.ts'
import { reshapeSearch } from './search-input.ts'

const query = string('The text to search for', { min: 1, max: 4_000 })
const where = optional(
  string('Folder or file to search, relative to the workspace; default: the whole workspace'),
)
const mode = optional(
  oneOf(
    ['exact', 'regex', 'ranked', 'semantic'],
    'exact (default): the text itself; regex: a regular expression; ranked: passages with most of the words; semantic: passages with a similar meaning, if the model endpoint supports embeddings',
  ),
)

const shape = object({
  query,
  path: where,
  // Older names are accepted, but no longer shown.
  mode: optional(oneOf(['exact', 'literal', 'regex', 'words', 'ranked', 'semantic'], 'How to search')),
  // Accepted but not shown: features of search tools in other dialects.
  glob: optional(string('Only files whose path matches', { max: 1_000 })),
  ignoreCase: optional(boolean('Ignore case')),
  context: optional(integer('Lines to show around each match', { min: 0, max: 20 })),
  output: optional(oneOf(['lines', 'files', 'counts'], 'What to show')),
  limit: optional(integer('Maximum number of lines or files to show', { min: 1 })),
})

export type SearchFilesInput = Infer<typeof shape>

export interface SearchOptions {
  /** Stores the search data; in memory only if absent. */
  readonly home?: string | undefined
  readonly places?: PathResolver | undefined
  readonly locateRipgrep?: LocateRipgrep | undefined
  readonly hiddenIn?: HiddenFileFilter | undefined
  /** Loads the embeddings for semantic search; without it, search uses words. */
  readonly loadEmbedder?: EmbedLoader | undefined
}

export function searchFilesTool(options: SearchOptions = {}): Tool {
  let work: ToolImplementation<SearchFilesInput> | undefined
  return builtIn<SearchFilesInput>({
    name: 'search_files',
    description:
      'Search the contents of files. Returns path:line: text, or in mode ranked the passages that match a question best. Files that git ignores are omitted.',
    class: 'search',
    effect: 'read',
    argumentAliases: { pattern: 'query', directory: 'path', filePath: 'path', file_path: 'path' },
    reshape: reshapeSearch,
    input: shape,
    parameters: object({ query, path: where, mode }).json,
    paths: (input) => [input.path || '.'],
    // Shared by all calls, because it caches what it has read.
    load: () => (work ??= searchFiles(options)),
  })
}

const maxPassages = 8
const maxMounted = 4

function searchFiles(options: SearchOptions): ToolImplementation<SearchFilesInput> {
  const { locateRipgrep = installed, hiddenIn, places } = options
  const ranked = createRanked({ ...options, locateRipgrep })
  return {
    async run(input, context, signal) {
      if (input.query.includes('\0')) throw new Refusal('The query contains a NUL character. Remove it.')
      const place = confinePath({ context, path: input.path || '.', places })
      const filter = input.glob === undefined ? undefined : glob(input.glob)
      if (input.glob !== undefined && filter === undefined)
        throw new Refusal('The glob has too many alternatives in braces. Use a simpler one.')
      const isHidden = hiddenIn?.(context.workspace)
      const outside = withoutHome(isHidden, place, options.home)
      const request = { input, place, filter, isHidden: outside, locateRipgrep }
      if (input.mode !== 'ranked' && input.mode !== 'semantic')
        return { content: await searchExactly(request, signal) }
      const folders = foldersOf(place, context, options, isHidden)
      const search = await ranked()
      const parts: ShownPart[] = []
      for (const { root, below, max, label } of folders) {
        const answer = await search(
          {
            root,
            query: input.query,
            meaning: input.mode === 'semantic',
            isWanted: wantedIn(root, below, filter),
            max: Math.min(input.limit ?? max, max),
            reserve: context.reserve,
          },
          signal,
        )
        parts.push({ prefix: root.prefix, answer, ...(label !== undefined && { label }) })
      }
      const { showPassages } = await import('./ranked/show-passages.ts')
      const usage = parts.reduce<Usage | undefined>(
        (sum, { answer }) => (answer.usage === undefined ? sum : addUsage(sum ?? noUsage, answer.usage)),
        undefined,
      )
      return {
        content: showPassages(input.query, input.mode === 'semantic', parts),
        ...(usage && { usage }),
      }
    },
  }
}

/** Excludes the home from the search, unless the search starts inside it. */
function withoutHome(
  isHidden: ((real: string) => boolean) | undefined,
  { real: place }: ConfinedPath,
  home: string | undefined,
): ((real: string) => boolean) | undefined {
  if (home === undefined || isInside(home, place)) return isHidden
  return (real) => isInside(home, real) || isHidden?.(real) === true
}

/** Loaded on first use and kept, because it caches what it has read. */
function createRanked({
  home,
  locateRipgrep = installed,
  loadEmbedder,
}: SearchOptions): () => Promise<RankedSearch> {
  let made: Promise<RankedSearch> | undefined
  return () => {
    made ??= import('./ranked/ranked-search.ts').then(({ createRankedSearch }) =>
      createRankedSearch({ home, locateRipgrep, loadEmbedder }),
    )
    return made
  }
}

interface Folder {
  readonly root: SearchRoot
  /** The part to search, relative to it; `.` for all of it. */
  readonly below: string
  readonly max: number
  readonly label?: string
}

/** Returns the folders to search: the given path or, without one, the workspace and its mounts. */
function foldersOf(
  place: ConfinedPath,
  context: ToolContext,
  { places }: SearchOptions,
  isHidden: ((real: string) => boolean) | undefined,
): Folder[] {
  const rootOf = (at: ConfinedPath): SearchRoot => {
    const prefix = at.mount === undefined ? '' : `${at.mount.name}/`
    return {
      folder: at.mount?.folder ?? at.root,
      prefix,
      isHidden: (file) => isHiddenPath(at, prefix + file, isHidden),
    }
  }
  const labelOf = (name: string) => `the ${name} of this home directory, which all workspaces share`
  const { mount } = place
  if (mount !== undefined) {
    const below = place.shown === mount.name ? '.' : place.shown.slice(mount.name.length + 1)
    return [{ root: rootOf(place), below, max: maxPassages, label: labelOf(mount.name) }]
  }
  const here: Folder = { root: rootOf(place), below: place.shown, max: maxPassages }
  if (place.shown !== '.') return [here]
  const beside = (places?.mountsIn(context.workspace) ?? []).map((mounted): Folder => {
    const at = { real: mounted.folder, shown: mounted.name, root: place.root, mount: mounted }
    return { root: rootOf(at), below: '.', max: maxMounted, label: labelOf(mounted.name) }
  })
  return [here, ...beside]
}

function wantedIn(
  { prefix }: SearchRoot,
  below: string,
  filter: Matcher | undefined,
): (file: string) => boolean {
  const start = below === '.' ? '' : `${path.posix.normalize(below)}/`
  return (file) => (start === '' || `${file}/`.startsWith(start)) && filter?.(prefix + file) !== false
}
