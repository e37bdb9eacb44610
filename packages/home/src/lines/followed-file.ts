/**
 * Follows a file of lines that other programs append to. Each line is passed on once, and all of them again if the file is replaced,
 * truncated or overwritten. Synchronous; one caller at a time.
 *
 * 1. Only complete lines are passed on. A line without a line break waits.
 * 2. The bytes before the position are compared at every check, to detect that the file was changed.
 */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { isObject, parseJson } from '@cadre/core'
import { openWithoutLinks } from '@cadre/disk'
import { type FoundLine, readLines } from './split-lines.ts'

export interface Follower {
  /** Called for each line that is a JSON object. Skips others: the reader of the content reports them. */
  take(line: { readonly [key: string]: unknown }, place: FoundLine): void
  /** Called when the file was replaced. All lines are passed on again. */
  forget(): void
}

const checkLength = 64

export class FollowedFile {
  private readonly place: string
  private readonly follower: Follower
  private position = 0
  private before: Buffer = Buffer.alloc(0)

  constructor(place: string, follower: Follower) {
    this.place = place
    this.follower = follower
  }

  /** Reads new lines. Returns true if there may be more than `most` bytes. */
  look(max = Number.POSITIVE_INFINITY): boolean {
    const file = openWithoutLinks(this.place, 'read')
    if (file === undefined) {
      this.restart()
      return false
    }
    try {
      if (!this.isStill(file)) this.restart()
      const from = this.position
      for (const line of readLines(file, from)) {
        if (line.isOpen) break
        this.position = line.end
        this.take(line)
        if (line.end - from > max) {
          this.remember(file)
          return true
        }
      }
      if (this.position > from) this.remember(file)
      return false
    } finally {
      closeSync(file)
    }
  }

  private take(line: FoundLine): void {
    if (line.isTooLong) return
    const parsed = parseJson(line.bytes.toString('utf8'))
    if (parsed.ok && isObject(parsed.value)) this.follower.take(parsed.value, line)
  }

  private isStill(file: number): boolean {
    if (this.position === 0) return true
    return fstatSync(file).size >= this.position && this.bytesBefore(file).equals(this.before)
  }

  private remember(file: number): void {
    this.before = this.bytesBefore(file)
  }

  private bytesBefore(file: number): Buffer {
    const length = Math.min(checkLength, this.position)
    const bytes = Buffer.alloc(length)
    const read = readSync(file, bytes, 0, length, this.position - length)
    return bytes.subarray(0, read)
  }

  private restart(): void {
    if (this.position === 0) return
    this.position = 0
    this.before = Buffer.alloc(0)
    this.follower.forget()
  }
}
