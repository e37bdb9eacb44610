/**
 * Owns one file in `storage/cursors/`, which records how far a file of lines was handled, and which lines. Used by one process at a time.
 * It is a file of lines itself, so each step costs one append. Incomplete lines are ignored.
 *
 * If the file was replaced, a new generation starts: its lines at that moment are compared with the handled ones. All later lines are new,
 * whatever their content.
 */
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, parseJson } from '@cadre/core'
import { hasCode, ownerOnly, readRegularFile } from '@cadre/disk'
import { appendLines } from './append-lines.ts'

/** The state of a file when reading it began. */
export interface Generation {
  readonly generation: number
  /** Up to this offset it may contain lines of earlier generations. */
  readonly until: number
  /** Device and inode number, which a rename does not change. */
  readonly file: string
}

export interface HandledLine {
  readonly at: number
  readonly end: number
  readonly line: number
  /** The checksum of the line's text. */
  readonly sum: string
  /** The checksum of its id. */
  readonly id?: string
  /** Set if it was handled before and therefore skipped. */
  readonly same?: true
  /** Set if it had no line break. */
  readonly open?: true
}

/** How many lines to remember, and how many to keep when there are more. */
export interface CursorLimits {
  readonly max: number
  readonly kept: number
}

const defaultLimits: CursorLimits = { max: 40_000, kept: 20_000 }

export class LineCursor {
  readonly place: string
  private readonly limits: CursorLimits
  private written: number
  private records: (Generation | HandledLine)[] = []
  private readonly ids = new Set<string>()
  private readonly sums = new Map<string, number>()
  /** Handled lines of earlier generations that were not found in this one yet. */
  private pool = new Map<string, number>()
  now: Generation | undefined
  last: HandledLine | undefined

  constructor(place: string, limits: CursorLimits = defaultLimits) {
    this.place = place
    this.limits = limits
    for (const record of readRecords(place)) this.take(record)
    this.written = this.records.length
  }

  hasId(id: string): boolean {
    return this.ids.has(id)
  }

  /** Returns whether a line without an id was handled in an earlier generation. */
  wasHandledBefore(sum: string): boolean {
    return (this.pool.get(sum) ?? 0) > 0
  }

  add(record: Generation | HandledLine): void {
    // A new generation determines the meaning of the lines after it, so it must be durable. If the write fails, nothing is recorded, and
    // the line is handled again.
    appendLines(this.place, [JSON.stringify(record)], { durable: 'generation' in record })
    this.take(record)
    this.written++
    const isCompared = this.now !== undefined && (this.last?.end ?? 0) >= this.now.until
    if (this.written > this.limits.max && isCompared) this.shorten()
  }

  /** Drops the oldest handled lines. */
  private shorten(): void {
    const recent = this.records.slice(-this.limits.kept)
    const { now } = this
    const head = now === undefined || recent.some((record) => 'generation' in record) ? [] : [now]
    this.records = [...head, ...recent]
    const draft = path.join(path.dirname(this.place), `.${path.basename(this.place)}.tmp`)
    writeFileSync(draft, this.records.map((record) => `${JSON.stringify(record)}\n`).join(''), {
      flush: true,
      mode: ownerOnly,
    })
    renameSync(draft, this.place)
    this.written = this.records.length
    this.ids.clear()
    this.sums.clear()
    this.pool.clear()
    for (const record of this.records.splice(0)) this.take(record)
  }

  private take(record: Generation | HandledLine): void {
    this.records.push(record)
    if ('generation' in record) {
      if (record.generation !== this.now?.generation) {
        this.pool = new Map(this.sums)
        this.last = undefined
      }
      this.now = record
      return
    }
    this.last = record
    if (record.id !== undefined) this.ids.add(record.id)
    else if (record.same) change(this.pool, record.sum, -1)
    else change(this.sums, record.sum, 1)
  }
}

function change(counts: Map<string, number>, sum: string, by: number): void {
  counts.set(sum, (counts.get(sum) ?? 0) + by)
}

/** Reads all complete records. */
function readRecords(place: string): (Generation | HandledLine)[] {
  let text: string
  try {
    text = readRegularFile(place).toString('utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
  // A line that lacks only its line break is complete: no prefix of a JSON object is a JSON object.
  if (!text.endsWith('\n')) appendLines(place, [], { durable: false })
  return text.split('\n').flatMap((line) => {
    const parsed = parseJson(line)
    return parsed.ok && isRecord(parsed.value) ? [parsed.value] : []
  })
}

function isRecord(value: unknown): value is Generation | HandledLine {
  if (!isObject(value)) return false
  const wholes =
    'generation' in value ? [value['generation'], value['until']] : [value['at'], value['end'], value['line']]
  return wholes.every(Number.isSafeInteger) && typeof (value['file'] ?? value['sum']) === 'string'
}
