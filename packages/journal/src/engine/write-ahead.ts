import { closeSync, fdatasync, ftruncateSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ProcessIdentity } from '@cadre/disk'
import { ownerOnly, syncPath, syncPaths, unlinkIfExists, writeFully } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { encodeFrame, encodeOwner, type FrameKind } from './segment-frames.ts'

/** The properties of a session file that frames need. */
export interface SegmentFile {
  readonly id: string
  readonly path: string
  readonly root: string
}

export type WriteCallback = (error: Error | null) => void

/**
 * Owns this process's segments in `storage/wal`: a second copy of all writes to session files, so that one sync makes a thousand sessions
 * durable. Called by the recorder, in the tick in which the session files are written.
 *
 * 1. A frame is added only after its bytes are in the session file, in the order in which they were written there.
 * 2. A segment is removed only after every file with frames in it was synced, later than its last frame.
 * 3. A callback runs only after a sync that began after its frame was written.
 */
export class WriteAhead {
  private readonly home: Home
  private readonly self: ProcessIdentity
  private readonly limit: number
  /** In write order. A new segment starts when the last one is sealed. */
  private segments: Segment[] = []
  private count = 0
  private frames: Buffer[] = []
  private framed: Mark[] = []
  private waiting: WriteCallback[] = []
  private unsafe: string[] = []
  private syncing = false
  private isUrgent = false
  /** Files that are not known to be synced, so their frames are needed. */
  private readonly marks = new Map<string, Mark>()

  constructor(home: Home, self: ProcessIdentity, limit: number) {
    this.home = home
    this.self = self
    this.limit = limit
  }

  add(kind: FrameKind, file: SegmentFile, offset: number, bytes?: Buffer): void {
    let mark = this.marks.get(file.id)
    if (mark === undefined) {
      mark = { id: file.id, path: file.path, root: file.root, count: 0 }
      this.marks.set(file.id, mark)
    }
    mark.count++
    // A person's edit must survive a power loss. Otherwise recovery would restore the removed entries.
    this.isUrgent ||= kind === 'file.adopted'
    this.framed.push(mark)
    this.frames.push(encodeFrame(kind, file.id, offset, bytes))
    if (bytes !== undefined) this.frames.push(bytes)
  }

  /** Includes this file in the next sync, because its content before the first frame may not be synced. */
  include(path: string): void {
    this.unsafe.push(path)
  }

  /** Writes the added frames. If that fails, it throws, and the session files must be synced instead. */
  flush(): void {
    if (this.frames.length === 0) return
    const { frames, framed } = this
    this.frames = []
    this.framed = []
    const segment = this.current()
    const bytes = Buffer.concat(frames)
    try {
      writeFully(segment.file, bytes, segment.size)
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

  /** Calls `done` when everything flushed so far survives a power loss. */
  sync(done: WriteCallback): void {
    this.waiting.push(done)
    this.begin()
  }

  /** Returns whether frames of the tree are still needed. */
  knows(root: string): boolean {
    for (const mark of this.marks.values()) if (mark.root === root) return true
    return false
  }

  /** Syncs the files of a tree, or all files, so that no segment is needed for them. */
  checkpoint(root: string | undefined, done: WriteCallback): void {
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
      // Sync the removal: a segment that reappears after a power loss would contain outdated frames.
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

  private finish(told: readonly WriteCallback[], error: Error | null): void {
    this.syncing = false
    for (const done of told) done(error)
    this.removeSpent()
    this.begin()
  }

  /** Closes a segment for new frames. It is removed when its files are synced. */
  private seal(segment: Segment): void {
    segment.isSealed = true
    syncPaths([...segment.marks].map((mark) => mark.path).concat(this.home.at('sessions')), (error) => {
      // Kept if its files could not be synced. The next checkpoint retries.
      if (error === null) segment.marks.clear()
      this.removeSpent()
    })
  }

  private removeSpent(): void {
    if (this.syncing || this.waiting.length > 0 || this.frames.length > 0) return
    // Only from the front: a later segment may invalidate frames of an earlier one.
    for (let first = this.segments[0]; first?.marks.size === 0; first = this.segments[0]) {
      this.segments.shift()
      closeSync(first.file)
      unlinkIfExists(first.path)
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
      writeFully(file, owner, 0)
    } catch (error) {
      closeSync(file)
      unlinkIfExists(path)
      throw error
    }
    // The directory entries of the segment, and of new folders above it, must be synced too.
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

interface Mark extends SegmentFile {
  /** The number of frames so far, to detect new ones during a sync. */
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
