import type { RawText } from '@cadre/disk'
import { type ScannedTasks, type ScanProblem, scanTasks, type Task, type TaskField } from './read-tasks.ts'

export interface Scanned {
  readonly raw: RawText
  readonly scan: ScannedTasks
}

/** The result of a partial scan, and the number of unchanged tasks before and after it. */
export interface Rescan {
  readonly scan: ScannedTasks
  /** How many tasks at the beginning are the same objects. */
  readonly before: number
  /** How many tasks at the end are unchanged. Unless `isInPlace`, their offsets have shifted. */
  readonly behind: number
  readonly isInPlace: boolean
}

/** For shorter texts, a full scan is as fast as the comparison. */
const minLength = 16_384

/**
 * Scans only the changed part of a text that was scanned before, from the task before the change to the task after it. The result equals a
 * full scan; returns `undefined` if that is not certain.
 *
 * Why it is certain: at an unindented task, every block, field and task above it has ended, so the parts before and after it are read
 * independently. The exceptions are code and comments without an end. If the text has one, everything is scanned.
 */
export function rescanTasks(known: Scanned, raw: RawText, minScanLength = minLength): Rescan | undefined {
  const { raw: old, scan } = known
  if (raw.length < minScanLength || scan.scanProblems.some(isUnclosed)) return undefined
  const same = commonParts(old, raw)
  const first = scan.tasks.findLastIndex((task) => task.width === 0 && task.lineEnd <= same.before)
  const behindAt = old.length - same.behind
  const last = scan.tasks.findIndex(({ width, start }) => width === 0 && start > behindAt)
  if (first === -1 && last === -1) return undefined
  const from = scan.tasks[first]
  const to = scan.tasks[last]
  const shift = raw.length - old.length
  const part = scanTasks(raw, {
    from: from?.start ?? 0,
    number: from?.line ?? 1,
    to: to === undefined ? raw.length : to.start + shift,
  })
  if (part.scanProblems.some(isUnclosed)) return undefined
  return join({ known, raw, part, first: Math.max(0, first), last, from, to, shift })
}

function isUnclosed({ kind }: ScanProblem): boolean {
  return kind === 'unclosed fence' || kind === 'unclosed comment'
}

interface JoinRequest {
  readonly known: Scanned
  readonly raw: RawText
  readonly part: ScannedTasks
  readonly first: number
  readonly last: number
  readonly from: Task | undefined
  readonly to: Task | undefined
  readonly shift: number
}

function join({ known: { raw: old, scan }, raw, part, first, last, from, to, shift }: JoinRequest): Rescan {
  const start = from?.start ?? 0
  const stop = to?.start ?? Number.POSITIVE_INFINITY
  const headings = scan.headings.filter((one) => one.start < start)
  const scanProblems = scan.scanProblems.filter((one) => one.start < start)
  const tasks = scan.tasks.slice(0, first)
  const sectionsBefore = headings.length
  for (const task of part.tasks)
    tasks.push({
      ...task,
      above: task.above === -1 ? -1 : task.above + first,
      section: task.section + sectionsBefore,
    })
  headings.push(...part.headings)
  scanProblems.push(...part.scanProblems)
  const moved = scan.headings.filter((one) => one.start >= stop)
  const shifts: Shifts = {
    at: shift,
    line: to === undefined ? 0 : linesIn(raw, start, to.start + shift) - linesIn(old, start, to.start),
    task: tasks.length - last,
    section: headings.length + moved.length - scan.headings.length,
  }
  const behind = last === -1 ? [] : scan.tasks.slice(last)
  const isInPlace = Object.values(shifts).every((by) => by === 0)
  for (const heading of moved)
    headings.push(
      isInPlace ? heading : { ...heading, start: heading.start + shift, end: heading.end + shift },
    )
  for (const one of scan.scanProblems)
    if (one.start >= stop)
      scanProblems.push({
        ...one,
        line: one.line + shifts.line,
        start: one.start + shift,
        at: one.at + shift,
      })
  for (const task of behind) tasks.push(isInPlace ? task : shiftTask(task, shifts))
  return { scan: { tasks, headings, scanProblems }, before: first, behind: behind.length, isInPlace }
}

interface Shifts {
  readonly at: number
  readonly line: number
  readonly task: number
  readonly section: number
}

function shiftTask(task: Task, { at, line, task: place, section }: Shifts): Task {
  return {
    ...task,
    line: task.line + line,
    start: task.start + at,
    end: task.end + at,
    treeEnd: task.treeEnd + at,
    markerAt: task.markerAt + at,
    headAt: task.headAt + at,
    lineEnd: task.lineEnd + at,
    above: task.above === -1 ? -1 : task.above + place,
    section: task.section + section,
    fields: task.fields.map((field) => shiftField(field, at, line)),
  }
}

function shiftField(field: TaskField, at: number, line: number): TaskField {
  return {
    ...field,
    line: field.line + line,
    start: field.start + at,
    valueAt: field.valueAt + at,
    valueEnd: field.valueEnd + at,
    lineEnd: field.lineEnd + at,
    end: field.end + at,
  }
}

/** The lengths of the common prefix and, after it, the common suffix of two texts. */
function commonParts(one: RawText, other: RawText): { readonly before: number; readonly behind: number } {
  const maxLength = Math.min(one.length, other.length)
  const part = (text: RawText, from: number, length: number) => text.slice(from, from + length)
  const before = commonLength(maxLength, (at, length) => part(one, at, length) === part(other, at, length))
  const behind = commonLength(
    maxLength - before,
    (at, length) =>
      part(one, one.length - at - length, length) === part(other, other.length - at - length, length),
  )
  return { before, behind }
}

const stride = 8192

/** Returns the length up to which `isSame` is true. Searches in large steps first, then by bisection. */
function commonLength(maxLength: number, isSame: (at: number, length: number) => boolean): number {
  let at = 0
  while (at + stride <= maxLength && isSame(at, stride)) at += stride
  let same = 0
  for (let limit = Math.min(stride, maxLength - at); same < limit; ) {
    const middle = Math.ceil((same + limit) / 2)
    if (isSame(at, middle)) same = middle
    else limit = middle - 1
  }
  return at + same
}

function linesIn(raw: RawText, from: number, to: number): number {
  let count = 0
  for (let at = raw.indexOf('\n', from); at !== -1 && at < to; at = raw.indexOf('\n', at + 1)) count++
  return count
}
