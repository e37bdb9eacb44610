import { closeSync, fdatasync, ftruncateSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ProcessIdentity } from '@cadre/disk'
import { ownerOnly, syncPath, syncPaths, unlinkIfThere, writeWhole } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { encodeFrame, encodeOwner, type FrameKind } from './segment-frames.ts'

/** The file of a session, as far as frames are concerned. */
export interface Marked {
  readonly id: string
  readonly path: string
  readonly root: string
}

export type Done = (error: Error | null) => void

/**
 * Owns this process's segments in `storage/wal`: a second copy of all that goes into session files, so that one sync
 * makes a thousand sessions durable. Called by the recorder, in the tick in which the session files are written.
 *
 * 1. A frame is added only after its bytes are in the session file, in the order in which they were written there.
 * 2. A segment is removed only after every file it has frames of was synced, later than the last of those frames.
 * 3. Whoever waits is told after a sync that began when its frame had been written.
 */
export class WriteAhead {
  private readonly home: Home
  private readonly self: ProcessIdentity
  private readonly limit: number
  /** In the order of writing; a new one is begun when the last is sealed. */
  private segments: Segment[] = []
  private count = 0
  private frames: Buffer[] = []
  private framed: Mark[] = []
  private waiting: Done[] = []
  private unsafe: string[] = []
  private syncing = false
  private isUrgent = false
  /** Files with frames that are not known to be safe without them. */
  private readonly marks = new Map<string, Mark>()

  constructor(home: Home, self: ProcessIdentity, limit: number) {
    this.home = home
    this.self = self
    this.limit = limit
  }

  add(kind: FrameKind, file: Marked, offset: number, bytes?: Buffer): void {
    let mark = this.marks.get(file.id)
    if (mark === undefined) {
      mark = { id: file.id, path: file.path, root: file.root, count: 0 }
      this.marks.set(file.id, mark)
    }
    mark.count++
    // That a person changed a file must not be forgotten in a power loss: the old end of it would come back.
    this.isUrgent ||= kind === 'file.adopted'
    this.framed.push(mark)
    this.frames.push(encodeFrame(kind, file.id, offset, bytes))
    if (bytes !== undefined) this.frames.push(bytes)
  }

  /** The next sync takes in this file itself: it is not known whether what the frames build on is safe. */
  include(path: string): void {
    this.unsafe.push(path)
  }

  /** Writes what was added. When that fails it throws, and the session files have to be synced instead. */
  flush(): void {
    if (this.frames.length === 0) return
    const { frames, framed } = this
    this.frames = []
    this.framed = []
    const segment = this.current()
    const bytes = Buffer.concat(frames)
    try {
      writeWhole(segment.file, bytes, segment.size)
    } catch (error) {
      ftruncateSync(segment.file, segment.size)
      throw error
    }
    segment.size += bytes.length
    segment.isDirty = true
    for (const mark of framed) segment.marks.add(mark)
    if (segment.size > this.limit) this.seal(segment)
    if (this.isUrgent) this.sync(() => {})
    this.isUrgent = false
  }

  /** Calls back when everything flushed so far survives a power loss. */
  sync(done: Done): void {
    this.waiting.push(done)
    this.begin()
  }

  /** Whether there are frames of the tree that count. */
  knows(root: string): boolean {
    for (const mark of this.marks.values()) if (mark.root === root) return true
    return false
  }

  /** Makes the files of a tree safe, or all files; then no segment is needed for them. */
  checkpoint(root: string | undefined, done: Done): void {
    const marks = [...this.marks.values()].filter((mark) => root === undefined || mark.root === root)
    if (marks.length === 0) {
      done(null)
      return
    }
    const counts = marks.map((mark) => mark.count)
    syncPaths([...marks.map((mark) => mark.path), this.home.at('sessions')], (error) => {
      if (error) return done(error)
      const safe = marks.filter((mark, index) => mark.count === counts[index])
      for (const mark of safe) {
        this.marks.delete(mark.id)
        for (const segment of this.segments) segment.marks.delete(mark)
      }
      this.removeSpent()
      // A segment that came back in a power loss would know what nobody wants to know any more.
      if (this.segments.length === 0) return syncPath(this.home.at('storage', 'wal'), done)
      for (const mark of safe) this.frames.push(encodeFrame('released', mark.id, 0))
      try {
        this.flush()
      } catch (flushError) {
        return done(flushError as Error)
      }
      this.sync(done)
    })
  }

  private begin(): void {
    if (this.syncing || this.waiting.length === 0) return
    this.syncing = true
    const told = this.waiting
    const dirty = this.segments.filter((segment) => segment.isDirty)
    const paths = this.unsafe
    this.waiting = []
    this.unsafe = []
    for (const segment of dirty) {
      segment.isDirty = false
      paths.push(...segment.folders.splice(0))
    }
    syncFiles(dirty, (failed, error) => {
      for (const segment of failed) segment.isDirty = true
      const finish = (pathError: Error | null) => {
        if (pathError !== null) this.unsafe.push(...paths)
        this.finish(told, pathError)
      }
      if (error !== null || paths.length === 0) finish(error)
      else syncPaths(paths, finish)
    })
  }

  private finish(told: readonly Done[], error: Error | null): void {
    this.syncing = false
    for (const done of told) done(error)
    this.removeSpent()
    this.begin()
  }

  /** No frame is added to it any more. When its files are safe, it goes. */
  private seal(segment: Segment): void {
    segment.isSealed = true
    syncPaths([...segment.marks].map((mark) => mark.path).concat(this.home.at('sessions')), (error) => {
      // Kept when its files could not be synced: the next checkpoint tries again.
      if (error === null) segment.marks.clear()
      this.removeSpent()
    })
  }

  private removeSpent(): void {
    if (this.syncing || this.waiting.length > 0 || this.frames.length > 0) return
    // Only from the front: a later segment may say that frames of an earlier one do not count any more.
    for (let first = this.segments[0]; first?.marks.size === 0; first = this.segments[0]) {
      this.segments.shift()
      closeSync(first.file)
      unlinkIfThere(first.path)
    }
  }

  private current(): Segment {
    const last = this.segments.at(-1)
    if (last !== undefined && !last.isSealed) return last
    const folder = this.home.folder('storage', 'wal')
    const path = `${folder}/${this.self.token}.${++this.count}.wal`
    const owner = encodeOwner(this.self)
    const file = openSync(path, 'wx', ownerOnly)
    try {
      writeWhole(file, owner, 0)
    } catch (error) {
      closeSync(file)
      unlinkIfThere(path)
      throw error
    }
    // The name of the segment must be safe too, and those of the folders it is in when they are new.
    const above = [this.home.at('storage'), this.home.path, dirname(this.home.path)]
    const folders = this.count === 1 ? [folder, ...above] : [folder]
    const segment = {
      path,
      file,
      folders,
      size: owner.length,
      marks: new Set<Mark>(),
      isDirty: false,
      isSealed: false,
    }
    this.segments.push(segment)
    return segment
  }
}

interface Mark extends Marked {
  /** Frames so far: tells whether there were new ones while the file was synced. */
  count: number
}

interface Segment {
  readonly path: string
  readonly file: number
  readonly folders: string[]
  readonly marks: Set<Mark>
  size: number
  isDirty: boolean
  isSealed: boolean
}

function syncFiles(
  segments: readonly Segment[],
  done: (failed: readonly Segment[], error: Error | null) => void,
): void {
  const failed: Segment[] = []
  let first: Error | null = null
  let left = segments.length
  if (left === 0) done(failed, null)
  for (const segment of segments) {
    fdatasync(segment.file, (error) => {
      if (error) failed.push(segment)
      first ??= error
      if (--left === 0) done(failed, first)
    })
  }
}
