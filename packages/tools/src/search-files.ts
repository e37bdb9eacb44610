import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Work } from './built-in.ts'
import { confined } from './confine.ts'
import type { HiddenIn } from './create-tools.ts'
import { glob } from './glob.ts'
import { locateRipgrep as installed } from './locate-ripgrep.ts'
import { Refusal } from './refusal.ts'
import { withoutRipgrep } from './ripgrep.ts'
import { searchByRipgrep } from './search-by-ripgrep.ts'
import { type FoundLine, type SearchRequest, searchByWalking } from './search-by-walking.ts'
import type { SearchFilesInput } from './search-files-tool.ts'
import { showFound, wordsOf } from './show-found.ts'

const mostLines = 200
const mostForWords = 3_000

export function searchFiles(locateRipgrep = installed, hiddenIn?: HiddenIn): Work<SearchFilesInput> {
  return {
    async run(input, context, signal) {
      if (input.query.includes('\0'))
        throw new Refusal('The query contains a NUL character; search for a text without it.')
      const place = confined({ context, path: input.path || '.' })
      const filter = input.glob === undefined ? undefined : glob(input.glob)
      if (input.glob !== undefined && filter === undefined)
        throw new Refusal('The glob has too many alternatives in braces; use a simpler one.')
      const isHidden = hiddenIn?.(context.workspace)
      const isShown =
        isHidden === undefined
          ? filter
          : (file: string) => filter?.(file) !== false && !isHidden(path.join(place.root, file))
      const words = input.mode === 'words' ? wordsOf(input.query) : undefined
      const most = words === undefined ? Math.min(input.limit ?? mostLines, 2_000) : mostForWords
      const request: SearchRequest = {
        root: place.root,
        place,
        queries: words ?? [input.query],
        regex: input.mode === 'regex',
        ignoreCase: input.ignoreCase ?? (words !== undefined || input.query === input.query.toLowerCase()),
        context: input.context ?? 0,
        most,
        ...(isShown !== undefined && { filter: isShown }),
      }
      const isFolder = (await stat(place.real)).isDirectory()
      const program = isFolder ? await locateRipgrep() : undefined
      const found: FoundLine[] = []
      const search = program === undefined ? searchByWalking : searchByRipgrep(program)
      const more = await search(request, (line) => found.push(line), signal)
      const note = isFolder && program === undefined ? `\n[${withoutRipgrep}]` : ''
      return {
        content:
          showFound(found, { query: input.query, words, output: input.output ?? 'lines', more, most }) + note,
      }
    },
  }
}
