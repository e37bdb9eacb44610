import { createHash } from 'node:crypto'
import type { Stamp } from '@cadre/disk'
import MiniSearch, { type AsPlainObject, type Options } from 'minisearch'
import type { Passage } from './split-passages.ts'
import { splitIntoWords, termOf } from './terms.ts'

/** The location of a passage; only words and a hash of its text are stored. */
export interface StoredPassage {
  readonly id: number
  readonly line: number
  readonly lines: number
  readonly hash: string
}

export interface StoredFile {
  readonly stamp: Stamp
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number
  readonly passages: readonly StoredPassage[]
}

export interface SearchHit extends StoredPassage {
  readonly path: string
  readonly score: number
  /** A score that is comparable across indexes, unlike the word score, which depends on the number of passages. */
  readonly weight: number
}

/** The whole content of an index, as plain data. */
export interface IndexData {
  readonly next: number
  readonly files: readonly (readonly [path: string, file: StoredFile])[]
  readonly words: AsPlainObject
}

interface Document {
  readonly id: number
  readonly path: string
  readonly heading: string
  readonly text: string
}

const options: Options<Document> = {
  fields: ['path', 'heading', 'text'],
  tokenize: splitIntoWords,
  processTerm: termOf,
  // Done explicitly, so that nothing runs after a search.
  autoVacuum: false,
  searchOptions: { boost: { heading: 3, path: 2 }, combineWith: 'OR', weights: { prefix: 0.4, fuzzy: 0.2 } },
}

const maxDirtyRatio = 0.2

/** Which words occur in which passages of the files below a folder. Derived from the files. */
export class PassageIndex {
  readonly files: Map<string, StoredFile>
  private readonly places = new Map<number, { readonly path: string; readonly passage: StoredPassage }>()
  private words: MiniSearch<Document>
  private next: number

  private constructor(words: MiniSearch<Document>, next: number, files: Map<string, StoredFile>) {
    this.words = words
    this.next = next
    this.files = files
    for (const [path, { passages }] of files)
      for (const passage of passages) this.places.set(passage.id, { path, passage })
  }

  static empty(): PassageIndex {
    return new PassageIndex(new MiniSearch(options), 1, new Map())
  }

  /** Rejects if it was not made by `data`. */
  static async from(data: IndexData): Promise<PassageIndex> {
    const words = await MiniSearch.loadJSAsync<Document>(data.words, options)
    return new PassageIndex(words, data.next, new Map(data.files))
  }

  put(path: string, stamp: Stamp, readAt: number, passages: readonly Passage[]): void {
    this.drop(path)
    const kept = passages.map((passage, at) => {
      const { line, lines, heading, text } = passage
      const id = this.next++
      // A file name is indexed once, not with every passage.
      this.words.add({ id, path: at === 0 ? path : '', heading, text })
      const entry: StoredPassage = { id, line, lines, hash: hashOf(passage) }
      this.places.set(id, { path, passage: entry })
      return entry
    })
    this.files.set(path, { stamp, readAt, passages: kept })
  }

  drop(path: string): void {
    const known = this.files.get(path)
    if (known === undefined) return
    for (const { id } of known.passages) {
      this.words.discard(id)
      this.places.delete(id)
    }
    this.files.delete(path)
  }

  /** Best matches first. If no word matches exactly, similar words count. */
  search(query: string, isWanted: (path: string) => boolean): SearchHit[] {
    const filter = ({ id }: { id: unknown }) => {
      const place = this.places.get(id as number)
      return place !== undefined && isWanted(place.path)
    }
    const prefix = (term: string) => term.length > 3
    const found = this.words.search(query, { filter, prefix })
    const all = found.length > 0 ? found : this.words.search(query, { filter, prefix, fuzzy: 0.2 })
    const hits = all.flatMap(({ id, score, queryTerms }) => {
      const place = this.places.get(id as number)
      return place === undefined
        ? []
        : [{ ...place.passage, path: place.path, score, weight: new Set(queryTerms).size }]
    })
    return hits.sort(compareHits)
  }

  /** Removes the words of deleted passages. */
  async tidy(wholly = false): Promise<void> {
    if (wholly || this.words.dirtFactor > maxDirtyRatio)
      await this.words.vacuum({ batchSize: 5_000, batchWait: 0 })
  }

  data(): IndexData {
    return { next: this.next, files: [...this.files], words: this.words.toJSON() }
  }
}

/** Best first. Equal scores are sorted by location, because the file system lists files in any order. */
export function compareHits(a: SearchHit, b: SearchHit): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.line - b.line
}

/** Hashes the content of a passage, without its location. */
export function hashOf({ heading, text }: Pick<Passage, 'heading' | 'text'>): string {
  return createHash('sha256').update(`${heading}\0${text}`).digest('hex').slice(0, 32)
}
