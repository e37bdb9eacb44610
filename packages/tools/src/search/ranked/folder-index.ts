/**
 * Owns the index of one searched folder in this process, and keeps it up to date. Several searches may call it at once.
 *
 * 1. One search at a time updates the index; the others wait and check again, which is cheap.
 * 2. A file is indexed completely or not at all, so a cancelled search leaves an index that is only outdated.
 * 3. Files that may no longer be shown are removed from the index and its stored copy before anything is searched.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '@cadre/core'
import { isSameStamp, stampOf } from '@cadre/disk'
import { openRegularFile } from '../../files/open-file.ts'
import { encodingOf } from '../../files/text.ts'
import { codeOf, Refusal } from '../../refusal.ts'
import type { IndexStore } from './index-store.ts'
import { type IndexData, PassageIndex } from './passage-index.ts'
import { type Scan, type ScanOptions, type SearchRoot, scanFiles } from './scan-files.ts'
import { splitPassages } from './split-passages.ts'

/** Changes whenever the format of words or passages changes. */
const formatVersion = 1
const name = `words-${formatVersion}`
/** Rereading fewer files than this is cheaper than storing the index. */
const minFilesToStore = 20
/** The number of files read concurrently. */
const readConcurrency = 16

export interface RefreshedIndex {
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

  /** Returns an index of the current files. */
  refresh(root: SearchRoot, options: ScanOptions, signal: AbortSignal): Promise<RefreshedIndex> {
    const next = this.busy.then(() => this.bringUpToDate(root, options, signal))
    this.busy = next.catch(() => {})
    return next
  }

  private async bringUpToDate(
    root: SearchRoot,
    options: ScanOptions,
    signal: AbortSignal,
  ): Promise<RefreshedIndex> {
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
    for (let at = 0; at < stale.length; at += readConcurrency) {
      signal.throwIfAborted()
      const part = stale.slice(at, at + readConcurrency)
      const read = await Promise.all(part.map(([file]) => this.read(file)))
      for (const [i, [file, stamp]] of part.entries()) {
        const taken = read[i]
        // It had just been written when it was read; its timestamp is reliable now.
        const isSettled = taken !== undefined && isSameStamp(taken.stamp, taken.readAt, taken.stamp)
        if (isSettled || index.files.get(file)?.stamp.is !== stamp.is) this.unsaved++
        if (taken === undefined) index.drop(file)
        else index.put(file, taken.stamp, taken.readAt, taken.passages)
      }
    }
    // A file that still exists was hidden, so none of its words may remain.
    const isWithheld = gone.some((file) => existsSync(path.join(this.folder, file)))
    if (gone.length > 0 || this.unsaved >= minFilesToStore || (isNew && this.unsaved > 0)) {
      await index.tidy(isWithheld)
      await this.save(index)
    }
    return { index, scan }
  }

  /** A non-text file has no passages; an unreadable file is skipped. */
  private async read(file: string) {
    const readAt = Date.now()
    try {
      const real = path.join(this.folder, file)
      await using opened = await openRegularFile({ real, shown: file, root: this.folder })
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
    // Retried with the next search that changes something.
    if (await this.store.save(this.folder, name, JSON.stringify(index.data()))) this.unsaved = 0
  }
}
