import { stat } from 'node:fs/promises'
import type { Matcher } from '@cadre/disk'
import { type ConfinedPath, isHiddenPath } from '../files/confine-path.ts'
import type { LocateRipgrep } from './locate-ripgrep.ts'
import { withoutRipgrep } from './ripgrep.ts'
import { searchByRipgrep } from './search-by-ripgrep.ts'
import { type FoundLine, type SearchRequest, searchByWalking } from './search-by-walking.ts'
import type { SearchFilesInput } from './search-files.ts'
import { showFound, wordsOf } from './show-found.ts'

export interface ExactRequest {
  readonly input: SearchFilesInput
  readonly place: ConfinedPath
  readonly filter: Matcher | undefined
  readonly isHidden: ((real: string) => boolean) | undefined
  readonly locateRipgrep: LocateRipgrep
}

const maxLines = 200
const maxWordMatches = 3_000

/** Finds lines that contain a text or match a regular expression, in the current files. */
export async function searchExactly(request: ExactRequest, signal: AbortSignal): Promise<string> {
  const { input, filter, isHidden, locateRipgrep } = request
  const { place, prefix } = below(request.place)
  const isShown =
    isHidden === undefined && (filter === undefined || prefix === '')
      ? filter
      : (file: string) =>
          filter?.(prefix + file) !== false && !isHiddenPath(request.place, prefix + file, isHidden)
  const words = input.mode === 'words' ? wordsOf(input.query) : undefined
  const max = words === undefined ? Math.min(input.limit ?? maxLines, 2_000) : maxWordMatches
  const wanted: SearchRequest = {
    root: place.root,
    place,
    queries: words ?? [input.query],
    regex: input.mode === 'regex',
    ignoreCase: input.ignoreCase ?? (words !== undefined || input.query === input.query.toLowerCase()),
    context: input.context ?? 0,
    max,
    ...(isShown !== undefined && { filter: isShown }),
  }
  const isFolder = (await stat(place.real)).isDirectory()
  const program = isFolder ? await locateRipgrep() : undefined
  const found: FoundLine[] = []
  const search = program === undefined ? searchByWalking : searchByRipgrep(program)
  const more = await search(wanted, (line) => found.push({ ...line, path: prefix + line.path }), signal)
  const note = isFolder && program === undefined ? `\n[${withoutRipgrep}]` : ''
  const { query, output = 'lines' } = input
  const hint =
    found.length === 0 && input.mode === undefined && isQuestion(query) ? `\n[${semanticHint}]` : ''
  return showFound(found, { query, words, output, more, max }) + hint + note
}

/** Returns the place as if its mount were the workspace, and the prefix of its paths. */
function below(place: ConfinedPath): { readonly place: ConfinedPath; readonly prefix: string } {
  const { mount, real, shown } = place
  if (mount === undefined) return { place, prefix: '' }
  const inner = shown === mount.name ? '.' : shown.slice(mount.name.length + 1)
  return { place: { real, root: mount.folder, shown: inner }, prefix: `${mount.name}/` }
}

const semanticHint =
  'no line contains exactly this text; mode "ranked" finds the passages that contain most of its words'

/** True for several words without syntax: the exact wording in the files may differ. */
function isQuestion(query: string): boolean {
  return /^[\p{L}\p{N}\s?!.,'’-]+$/u.test(query) && query.trim().split(/\s+/).length > 1
}
