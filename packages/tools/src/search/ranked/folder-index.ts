/**
 * Owns what is known in this process about one searched folder, and keeps it in line with the files. Called by searches, several
 * at once.
 *
 * 1. One search brings the index up to date at a time; the others wait for it and look again, which is cheap.
 * 2. A file is taken up whole or not at all, so a search that is cancelled leaves an index that is only behind.
 * 3. What may not be shown any more is out of the index, and of what is kept of it, before anything is found.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '@cadre/core'
import { isSameStamp, stampOf } from '@cadre/disk'
import { openRegular } from '../../files/open-file.ts'
import { encodingOf } from '../../files/text.ts'
import { codeOf, Refusal } from '../../refusal.ts'
import type { IndexStore } from './index-store.ts'
import { type IndexData, PassageIndex } from './passage-index.ts'
import { type Scan, type ScanOptions, type SearchRoot, scanFiles } from './scan-files.ts'
import { splitPassages } from './split-passages.ts'

/** Another one whenever words are kept otherwise, or passages are cut otherwise. */
const form = 1
const name = `words-${form}`
/** So many files to read again cost less than writing the index each time. */
const worthKeeping = 20
/** Files that are read at once. */
const together = 16

export interface Refreshed {
  readonly index: PassageIndex
  readonly scan: Scan
}

export class FolderIndex {
  private index: PassageIndex | undefined
  private busy: Promise<unknown> = Promise.resolve()
  private unsaved = 0
  private readonly folder: string
  private readonly store: IndexStore

  constructor(folder: string, store: IndexStore) {
    this.folder = folder
    this.store = store
  }

  /** The index as the files are now. */
  refresh(root: SearchRoot, options: ScanOptions, signal: AbortSignal): Promise<Refreshed> {
    const next = this.busy.then(() => this.bringUpToDate(root, options, signal))
    this.busy = next.catch(() => {})
    return next
  }

  private async bringUpToDate(
    root: SearchRoot,
    options: ScanOptions,
    signal: AbortSignal,
  ): Promise<Refreshed> {
    signal.throwIfAborted()
    const isNew = this.index === undefined
    this.index ??= (await this.load()) ?? PassageIndex.empty()
    const { index } = this
    const scan = await scanFiles(root, options, signal)
    const gone = [...index.files.keys()].filter((file) => !scan.files.has(file))
    for (const file of gone) index.drop(file)
    const stale = [...scan.files].filter(([file, stamp]) => {
      const known = index.files.get(file)
      return known === undefined || !isSameStamp(known.stamp, known.readAt, stamp)
    })
    for (let at = 0; at < stale.length; at += together) {
      signal.throwIfAborted()
      const part = stale.slice(at, at + together)
      const read = await Promise.all(part.map(([file]) => this.read(file)))
      for (const [i, [file, stamp]] of part.entries()) {
        const taken = read[i]
        // One that had just been written when it was read: from now on it need not be read again.
        const isSettled = taken !== undefined && isSameStamp(taken.stamp, taken.readAt, taken.stamp)
        if (isSettled || index.files.get(file)?.stamp.is !== stamp.is) this.unsaved++
        if (taken === undefined) index.drop(file)
        else index.put(file, taken.stamp, taken.readAt, taken.passages)
      }
    }
    // A file that is still there was withheld: not one of its words stays behind.
    const isWithheld = gone.some((file) => existsSync(path.join(this.folder, file)))
    if (gone.length > 0 || this.unsaved >= worthKeeping || (isNew && this.unsaved > 0)) {
      await index.tidy(isWithheld)
      await this.save(index)
    }
    return { index, scan }
  }

  /** A file that is no text is one without passages; one that cannot be read is none. */
  private async read(file: string) {
    const readAt = Date.now()
    try {
      const real = path.join(this.folder, file)
      await using opened = await openRegular({ real, shown: file, root: this.folder })
      const bytes = await opened.handle.readFile()
      const text = encodingOf(bytes) === 'utf-8' ? bytes.toString('utf8') : ''
      return { readAt, stamp: stampOf(opened.stats), passages: splitPassages(text, file) }
    } catch (error) {
      if (error instanceof Refusal || codeOf(error) !== undefined) return undefined
      throw error
    }
  }

  private async load(): Promise<PassageIndex | undefined> {
    const kept = await this.store.load(this.folder, name)
    const parsed = kept === undefined ? undefined : parseJson(kept.toString('utf8'))
    if (parsed === undefined || !parsed.ok) return undefined
    return PassageIndex.from(parsed.value as unknown as IndexData).catch(() => undefined)
  }

  private async save(index: PassageIndex): Promise<void> {
    // Tried again with the next search that changes something.
    if (await this.store.save(this.folder, name, JSON.stringify(index.data()))) this.unsaved = 0
  }
}
