import type { Stats } from 'node:fs'
import type { Draft, Entry, Json, ReportStatus, SessionSpec, SessionStatus } from '@cadre/core'
import { emitHeader, type HeaderLayout } from '../format/emit-header.ts'
import type { Journal } from '../format/read-journal.ts'
import type { OpenFile } from './open-files.ts'
import type { SegmentFile } from './write-ahead.ts'

/** A step whose work is done, until its entries are recorded. */
export interface PendingStep {
  drafts: readonly Draft[]
  /** Set once they are in the file. */
  entries: readonly Entry[]
  readonly durable: boolean
  readonly resolve: (entries: readonly Entry[]) => void
  readonly reject: (error: unknown) => void
}

export interface State {
  readonly status: SessionStatus
  readonly outcome: ReportStatus | undefined
}

/**
 * The state of one session's file while the session is open. `entries`, `size` and the identity of the file describe the same moment: the
 * end of the last write, or of the last reading.
 */
export class SessionFile implements OpenFile, SegmentFile {
  readonly id: string
  readonly root: string
  readonly path: string
  file = -1

  spec: SessionSpec
  entries: Entry[] = []
  layout: HeaderLayout = { stampAt: 0, outcomeAt: 0 }
  state: State = { status: 'active', outcome: undefined }
  updated = ''
  extra: { readonly [key: string]: Json } = {}

  size = 0
  inode = 0
  private modified = 0
  private changed = 0

  /** Text to write before the next entry: the header, or a line ending. */
  lead = ''
  /** True if the segments contain the base of this file's frames. */
  isBased = false
  isQueued = false
  pending: PendingStep[] = []
  /** Events that the journal adds itself, with the next write. */
  notes: Draft[] = []
  /** The state the header should have. */
  wanted: State | undefined
  /** Waiters whose entries were written while a person replaced the file, and may be missing from it. */
  unsure: PendingStep[] = []
  /** A description of a person's edit that was not reported yet. */
  change: string | undefined
  /** The state of an incomplete file at the last check. If it is the same the next time, it is final. */
  seen: string | undefined
  /** How many checks in a row found an incomplete file. */
  checks = 0

  /** Its own workspace, if it has one. */
  private readonly place: Pick<SessionSpec, 'workspace' | 'isolation'> | undefined

  constructor(spec: SessionSpec, path: string) {
    this.spec = spec
    const { workspace, isolation } = spec
    this.place = isolation && { workspace, isolation }
    this.id = spec.id
    this.root = spec.root
    this.path = path
  }

  get lastSeq(): number {
    return this.entries.at(-1)?.seq ?? 0
  }

  /** A session that is just being created. */
  begin(timestamp: string): void {
    this.updated = timestamp
    this.lead = this.header()
  }

  load(journal: Journal): void {
    this.spec = journal.spec
    this.entries = journal.entries
    this.state = { status: journal.status, outcome: journal.outcome }
    this.updated = journal.updated
    this.extra = journal.extra
    this.size = journal.good
    this.layout = journal.layout ?? this.layout
    this.lead = journal.openLine ? '\n' : ''
  }

  /** Adds the session's workspace to the header. Returns false if there is nothing to add. */
  addWorkspace(): boolean {
    if (this.place === undefined || this.spec.isolation !== undefined) return false
    this.spec = { ...this.spec, ...this.place }
    return true
  }

  header(): string {
    const { text, layout } = emitHeader(this.spec, {
      ...this.state,
      updated: this.updated,
      extra: this.extra,
    })
    this.layout = layout
    return text
  }

  isSame(stats: Stats): boolean {
    return (
      stats.ino === this.inode &&
      stats.size === this.size &&
      stats.mtimeMs === this.modified &&
      stats.ctimeMs === this.changed
    )
  }

  remember(stats: Stats): void {
    this.inode = stats.ino
    this.size = stats.size
    this.modified = stats.mtimeMs
    this.changed = stats.ctimeMs
  }

  /** Removes and returns all waiters. */
  takeWaiters(): PendingStep[] {
    const waiters = [...this.unsure, ...this.pending]
    this.pending = []
    this.unsure = []
    return waiters
  }
}
