import path from 'node:path'
import type { ToolContext } from '@cadre/core'
import { isInside } from '@cadre/disk'
import type { Work } from '../built-in.ts'
import { type ConfinedPath, confined, isKept } from '../files/confine.ts'
import { Refusal } from '../refusal.ts'
import type { RankedSearch } from '../search-ranked/ranked-search.ts'
import type { SearchRoot } from '../search-ranked/scan-files.ts'
import type { ShownPart } from '../search-ranked/show-passages.ts'
import { glob, type Matcher } from './glob.ts'
import { locateRipgrep as installed } from './locate-ripgrep.ts'
import { searchExactly } from './search-exactly.ts'
import type { SearchFilesInput, SearchOptions } from './search-files-tool.ts'

const mostPassages = 8
const mostMounted = 4

export function searchFiles(options: SearchOptions): Work<SearchFilesInput> {
  const { locateRipgrep = installed, hiddenIn, places } = options
  const ranked = createRanked({ ...options, locateRipgrep })
  return {
    async run(input, context, signal) {
      if (input.query.includes('\0'))
        throw new Refusal('The query contains a NUL character; search for a text without it.')
      const place = confined({ context, path: input.path || '.', places })
      const filter = input.glob === undefined ? undefined : glob(input.glob)
      if (input.glob !== undefined && filter === undefined)
        throw new Refusal('The glob has too many alternatives in braces; use a simpler one.')
      const isHidden = hiddenIn?.(context.workspace)
      const outside = withoutHome(isHidden, place, options.home)
      const request = { input, place, filter, isHidden: outside, locateRipgrep }
      if (input.mode !== 'ranked' && input.mode !== 'semantic')
        return { content: await searchExactly(request, signal) }
      const folders = foldersOf(place, context, options, isHidden)
      const search = await ranked()
      const parts: ShownPart[] = []
      for (const { root, below, most, label } of folders) {
        const answer = await search(
          {
            root,
            query: input.query,
            meaning: input.mode === 'semantic',
            isWanted: wantedIn(root, below, filter),
            most: Math.min(input.limit ?? most, most),
          },
          signal,
        )
        parts.push({ prefix: root.prefix, answer, ...(label !== undefined && { label }) })
      }
      const { showPassages } = await import('../search-ranked/show-passages.ts')
      return { content: showPassages(input.query, input.mode === 'semantic', parts) }
    },
  }
}

/** The home is not part of the workspace's content, unless the search starts inside it. */
function withoutHome(
  isHidden: ((real: string) => boolean) | undefined,
  { real: place }: ConfinedPath,
  home: string | undefined,
): ((real: string) => boolean) | undefined {
  if (home === undefined || isInside(home, place)) return isHidden
  return (real) => isInside(home, real) || isHidden?.(real) === true
}

/** Loaded when it is first needed, and kept: it remembers what it has read. */
function createRanked({
  home,
  locateRipgrep = installed,
  loadEmbed,
}: SearchOptions): () => Promise<RankedSearch> {
  let made: Promise<RankedSearch> | undefined
  return () => {
    made ??= import('../search-ranked/ranked-search.ts').then(({ createRankedSearch }) =>
      createRankedSearch({ home, locateRipgrep, loadEmbed }),
    )
    return made
  }
}

interface Folder {
  readonly root: SearchRoot
  /** Where in it to look, relative to it; `.` for all of it. */
  readonly below: string
  readonly most: number
  readonly label?: string
}

/** Where to look: in what the path names; without a path in the workspace and in what is mounted there. */
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
      isHidden: (file) => isKept(at, prefix + file, isHidden),
    }
  }
  const labelOf = (name: string) => `the ${name} of this home, which all workspaces share`
  const { mount } = place
  if (mount !== undefined) {
    const below = place.shown === mount.name ? '.' : place.shown.slice(mount.name.length + 1)
    return [{ root: rootOf(place), below, most: mostPassages, label: labelOf(mount.name) }]
  }
  const here: Folder = { root: rootOf(place), below: place.shown, most: mostPassages }
  if (place.shown !== '.') return [here]
  const beside = (places?.mountsIn(context.workspace) ?? []).map((mounted): Folder => {
    const at = { real: mounted.folder, shown: mounted.name, root: place.root, mount: mounted }
    return { root: rootOf(at), below: '.', most: mostMounted, label: labelOf(mounted.name) }
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
