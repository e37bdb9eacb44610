/**
 * Owns one file in `storage/cursors/`: how far a file of lines was handled, and which lines these were. One process at a time
 * uses it. It is a file of lines itself, so that a step costs one append whatever was handled before; a line that was not
 * written whole counts for nothing.
 *
 * A file that is not the one that was read any more begins a new generation: what is in it at that moment is compared with
 * what was handled, line by line; what comes later is new, whatever it says.
 */
import { renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '@cadre/core'
import { hasCode, isObject, ownerOnly, readRegular } from '@cadre/disk'
import { appendLines } from './append-lines.ts'

/** A file as it was when its reading began. */
export interface Generation {
  readonly generation: number
  /** Up to here it may hold lines of earlier generations. */
  readonly until: number
  /** Device and number of the file: the same when it is renamed. */
  readonly file: string
}

export interface Handled {
  readonly at: number
  readonly end: number
  readonly line: number
  /** Of the text of the line. */
  readonly sum: string
  /** Of the id that stands in it. */
  readonly id?: string
  /** It had been handled before, and was passed over. */
  readonly same?: true
  /** It had no line break. */
  readonly open?: true
}

/** How many lines may be remembered, and how many of them stay when it is more. */
export interface CursorLimits {
  readonly most: number
  readonly kept: number
}

const usual: CursorLimits = { most: 40_000, kept: 20_000 }

export class LineCursor {
  readonly place: string
  private readonly limits: CursorLimits
  private written: number
  private records: (Generation | Handled)[] = []
  private readonly ids = new Set<string>()
  private readonly sums = new Map<string, number>()
  /** What earlier generations had and this one has not shown yet. */
  private pool = new Map<string, number>()
  now: Generation | undefined
  last: Handled | undefined

  constructor(place: string, limits: CursorLimits = usual) {
    this.place = place
    this.limits = limits
    for (const record of readRecords(place)) this.take(record)
    this.written = this.records.length
  }

  hasId(id: string): boolean {
    return this.ids.has(id)
  }

  /** Whether a line without an id, seen while a new generation is compared, was handled before. */
  isOfBefore(sum: string): boolean {
    return (this.pool.get(sum) ?? 0) > 0
  }

  add(record: Generation | Handled): void {
    // A new generation decides what the lines after it are: it must not be forgotten when they were handled. What could not be
    // written did not happen: it comes again, also to this process.
    appendLines(this.place, [JSON.stringify(record)], { durable: 'generation' in record })
    this.take(record)
    this.written++
    const isCompared = this.now !== undefined && (this.last?.end ?? 0) >= this.now.until
    if (this.written > this.limits.most && isCompared) this.shorten()
  }

  /** What was handled long ago is forgotten. */
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

  private take(record: Generation | Handled): void {
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

/** Everything that was written whole. */
function readRecords(place: string): (Generation | Handled)[] {
  let text: string
  try {
    text = readRegular(place).toString('utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
  // What lacks only its line break is whole: no beginning of a JSON object is a JSON object.
  if (!text.endsWith('\n')) appendLines(place, [], { durable: false })
  return text.split('\n').flatMap((line) => {
    const parsed = parseJson(line)
    return parsed.ok && isRecord(parsed.value) ? [parsed.value] : []
  })
}

function isRecord(value: unknown): value is Generation | Handled {
  if (!isObject(value)) return false
  const wholes =
    'generation' in value ? [value['generation'], value['until']] : [value['at'], value['end'], value['line']]
  return wholes.every(Number.isSafeInteger) && typeof (value['file'] ?? value['sum']) === 'string'
}
