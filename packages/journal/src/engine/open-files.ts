import { closeSync, openSync, readFileSync } from 'node:fs'
import { hasCode, ownerOnly } from '@cadre/disk'

/** An object that keeps its file open between writes if possible. */
export interface OpenFile {
  readonly path: string
  /** -1 while it is closed. */
  file: number
}

/** The maximum, even if the system allows more, because other parts of the process need descriptors as well. */
const maxOpenFiles = 1024

/**
 * Owns the file descriptors of session files. The most recently used stay open, so ten thousand sessions need no more descriptors than a
 * thousand. A descriptor is valid until the next call.
 */
export class OpenFiles {
  private limit: number
  /** Least recently used first. */
  private readonly files = new Set<OpenFile>()

  constructor(limit: number = limitOfSystem()) {
    this.limit = limit
  }

  open(file: OpenFile): number {
    if (file.file >= 0) this.files.delete(file)
    else {
      while (this.files.size >= this.limit) this.closeOldest()
      file.file = this.tryOpen(file.path, 'r+')
    }
    this.files.add(file)
    return file.file
  }

  /** Creates a file. Throws `EEXIST` if it exists. */
  create(file: OpenFile): number {
    while (this.files.size >= this.limit) this.closeOldest()
    file.file = this.tryOpen(file.path, 'wx')
    this.files.add(file)
    return file.file
  }

  close(file: OpenFile): void {
    if (file.file < 0) return
    this.files.delete(file)
    closeSync(file.file)
    file.file = -1
  }

  closeAll(): void {
    for (const file of [...this.files]) this.close(file)
  }

  /** Halves the limit, because other parts of the process need descriptors. */
  freeDescriptors(): void {
    this.limit = Math.max(1, this.files.size >> 1)
    do this.closeOldest()
    while (this.files.size > this.limit)
  }

  private tryOpen(path: string, flags: string): number {
    for (;;) {
      try {
        return openSync(path, flags, ownerOnly)
      } catch (error) {
        if (!hasCode(error, 'EMFILE', 'ENFILE') || this.files.size === 0) throw error
        this.freeDescriptors()
      }
    }
  }

  private closeOldest(): void {
    const [oldest] = this.files
    if (oldest !== undefined) this.close(oldest)
  }
}

/** A quarter of the process limit, if the system reports it. */
function limitOfSystem(): number {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return Math.max(8, Math.min(maxOpenFiles, Math.floor(Number(line?.[1] ?? maxOpenFiles * 4) / 4)))
  } catch {
    return maxOpenFiles
  }
}
