import path from 'node:path'
import { addUsage, messageOf, noUsage, type ReserveTokens, type Usage } from '@cadre/core'
import { stampOf } from '@cadre/disk'
import { openRegularFile } from '../../files/open-file.ts'
import { codeOf, Refusal } from '../../refusal.ts'
import type { LocateRipgrep } from '../locate-ripgrep.ts'
import { type Embed, type EmbedLoader, withBudget } from './embed.ts'
import { FolderIndex } from './folder-index.ts'
import { type IndexStore, openIndexStore } from './index-store.ts'
import { compareHits, hashOf, type PassageIndex, type SearchHit } from './passage-index.ts'
import type { Scan, SearchRoot } from './scan-files.ts'
import { splitPassages } from './split-passages.ts'
import { normaliseVector, Vectors } from './vectors.ts'

export interface RankedOptions {
  readonly home?: string | undefined
  readonly locateRipgrep: LocateRipgrep
  readonly loadEmbedder?: EmbedLoader | undefined
}

export interface RankedRequest {
  readonly root: SearchRoot
  readonly query: string
  readonly meaning: boolean
  /** Returns whether a file is searched, by its path below the folder. */
  readonly isWanted: (file: string) => boolean
  readonly max: number
  /** Under a budget: for requests that a server charges for. */
  readonly reserve?: ReserveTokens | undefined
}

export interface FoundPassage {
  /** Relative to the folder. */
  readonly path: string
  readonly line: number
  readonly heading: string
  /** Their current content. */
  readonly lines: readonly string[]
  /** A score that is comparable with passages of other folders. */
  readonly weight: number
}

export interface RankedResult {
  readonly passages: readonly FoundPassage[]
  /** Notes for the reader, each a sentence without a period. */
  readonly notes: readonly string[]
  /** The cost of vectors that a server reports. */
  readonly usage?: Usage
}

export type RankedSearch = (request: RankedRequest, signal: AbortSignal) => Promise<RankedResult>

const maxFiles = 20_000
const maxFileSize = 1_024 * 1_024
const maxVectors = 20_000
const maxPerFile = 2
const maxFolders = 8

/** Finds passages by their words or their meaning. Results are checked against the files before they are shown. */
export function createRankedSearch(options: RankedOptions): RankedSearch {
  const store = openIndexStore(options.home)
  const folders = new Map<string, FolderIndex>()
  const scanning = {
    home: options.home,
    locateRipgrep: options.locateRipgrep,
    max: maxFiles,
    maxFileSize,
  }
  const indexOf = (folder: string) => {
    const known = folders.get(folder) ?? new FolderIndex(folder, store)
    // The least recently searched folder is dropped from memory; its data on disk stays.
    folders.delete(folder)
    folders.set(folder, known)
    for (const oldest of folders.keys()) {
      if (folders.size <= maxFolders) break
      folders.delete(oldest)
    }
    return known
  }
  return async (request, signal) => {
    const { root } = request
    let found: RankedResult = { passages: [], notes: [] }
    let usage: Usage | undefined
    const spent = (more: Usage) => {
      usage = addUsage(usage ?? noUsage, more)
    }
    // A file that changes between the scan and the result is scanned again; one that keeps changing is omitted.
    for (let attempt = 0; attempt < 2; attempt++) {
      const { index, scan } = await indexOf(root.folder).refresh(root, scanning, signal)
      const ranked = await rank(request, index, { options, store, spent }, signal)
      const shown = await show(request, index, ranked.hits)
      found = { passages: shown.passages, notes: [...ranked.notes, ...notesOf(scan)] }
      if (!shown.isStale) break
    }
    return usage === undefined ? found : { ...found, usage }
  }
}

interface Ranked {
  readonly hits: readonly SearchHit[]
  readonly notes: readonly string[]
}

interface RankContext {
  readonly options: RankedOptions
  readonly store: IndexStore
  readonly spent: (usage: Usage) => void
}

async function rank(
  { root, query, meaning, isWanted, reserve }: RankedRequest,
  index: PassageIndex,
  { options, store, spent }: RankContext,
  signal: AbortSignal,
): Promise<Ranked> {
  const byWords = (notes: readonly string[]): Ranked => ({ hits: index.search(query, isWanted), notes })
  if (!meaning) return byWords([])
  const embed = (await options.loadEmbedder?.()) ?? notConfiguredNote
  if (typeof embed === 'string') return byWords([`${embed}; passages are ranked by words instead`])
  try {
    return await byMeaning(
      index,
      { root, query, isWanted, embed: withBudget(embed, reserve), store, spent },
      signal,
    )
  } catch (error) {
    if (signal.aborted) throw error
    return byWords([`semantic search failed: ${messageOf(error)}; passages are ranked by words instead`])
  }
}

const notConfiguredNote =
  'semantic search is not available: no endpoint with embeddings and no search.semantic.module is configured'

interface MeaningRequest extends Pick<RankedRequest, 'root' | 'query' | 'isWanted'> {
  readonly embed: Embed
  readonly store: IndexStore
  readonly spent: (usage: Usage) => void
}

async function byMeaning(
  index: PassageIndex,
  { root, query, isWanted, embed, store, spent }: MeaningRequest,
  signal: AbortSignal,
): Promise<Ranked> {
  const all = [...index.files].flatMap(([file, { passages }]) =>
    passages.map((passage) => ({ file, passage })),
  )
  const some = all.slice(0, maxVectors)
  const vectors = await Vectors.open(root.folder, store, embed)
  const textAt = passageReader(root.folder)
  const asked = some.map(({ file, passage: { hash } }) => ({ hash, text: () => textAt(file, hash) }))
  await vectors.complete(asked, signal, spent)
  const [question] = await embed.embed([query], signal, spent)
  const wanted = normaliseVector(question ?? [])
  const hits = some.flatMap(({ file, passage }): SearchHit[] => {
    const score = isWanted(file) ? vectors.nearness(passage.hash, wanted) : undefined
    return score === undefined || score <= 0 ? [] : [{ ...passage, path: file, score, weight: score }]
  })
  const notes =
    all.length > some.length ? [`only the first ${maxVectors} of ${all.length} passages were compared`] : []
  return { hits: hits.sort(compareHits), notes }
}

/** Returns the text of a passage with its headings, for the module. Passages are requested file by file. */
function passageReader(folder: string): (file: string, hash: string) => Promise<string | undefined> {
  let last: { readonly file: string; readonly texts: Promise<ReadonlyMap<string, string>> } | undefined
  const textsOf = async (file: string) => {
    const read = await readNow(folder, file)
    const passages = read === undefined ? [] : splitPassages(read.text, file)
    return new Map(passages.map((one) => [hashOf(one), `${file}\n${one.heading}\n${one.text}`]))
  }
  return async (file, hash) => {
    if (last?.file !== file) last = { file, texts: textsOf(file) }
    return (await last.texts).get(hash)
  }
}

async function show(
  { root, max, isWanted }: RankedRequest,
  index: PassageIndex,
  hits: readonly SearchHit[],
): Promise<{ passages: FoundPassage[]; isStale: boolean }> {
  const passages: FoundPassage[] = []
  const perFile = new Map<string, number>()
  let isStale = false
  for (const hit of hits) {
    if (passages.length === max) break
    const shown = perFile.get(hit.path) ?? 0
    if (shown === maxPerFile || !isWanted(hit.path) || root.isHidden(hit.path)) continue
    const now = await readNow(root.folder, hit.path)
    if (now?.stamp !== index.files.get(hit.path)?.stamp.is) {
      isStale = true
      continue
    }
    const passage = splitPassages(now?.text ?? '', hit.path).find(({ line }) => line === hit.line)
    if (passage === undefined) continue
    perFile.set(hit.path, shown + 1)
    const { line, heading, text } = passage
    passages.push({ path: hit.path, line, heading, lines: text.split('\n'), weight: hit.weight })
  }
  return { passages, isStale }
}

async function readNow(folder: string, file: string) {
  try {
    await using opened = await openRegularFile({ real: path.join(folder, file), shown: file, root: folder })
    if (opened.stats.size > maxFileSize) return undefined
    return { text: await opened.handle.readFile('utf8'), stamp: stampOf(opened.stats).is }
  } catch (error) {
    if (error instanceof Refusal || codeOf(error) !== undefined) return undefined
    throw error
  }
}

function notesOf({ large, more }: Scan): string[] {
  const files = large === 1 ? 'file is' : 'files are'
  return [
    ...(large > 0 ? [`${large} ${files} larger than 1 MB and not in the index`] : []),
    ...(more ? [`only the first ${maxFiles} files are in the index`] : []),
  ]
}
