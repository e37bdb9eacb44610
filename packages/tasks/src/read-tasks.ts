import {
  isBlank,
  type Line,
  type LinesRange,
  linesAfterByteOrderMark,
  type RawText,
  textOf,
  widthOf,
} from '@cadre/disk'
import { findHiddenLines } from './hidden-lines.ts'

/** A task of a file: its line, and everything indented below it. Offsets are into the raw text. */
export interface Task {
  /** Counted from 1. */
  readonly line: number
  readonly start: number
  /** After its last non-blank line, before its first subtask. */
  readonly end: number
  /** After the last non-blank line of the task and its subtasks. */
  readonly treeEnd: number
  /** The text before it on its line. */
  readonly indent: string
  readonly width: number
  readonly bullet: string
  /** The text between the brackets. */
  readonly marker: string
  readonly markerAt: number
  /** The text after the brackets: decoded, raw, and its offset. */
  readonly head: string
  readonly rawHead: RawText
  readonly headAt: number
  /** After its first line. */
  readonly lineEnd: number
  /** The line ending of its first line. Empty at the end of the file. */
  readonly eol: string
  /** Includes fields after its subtasks. */
  readonly fields: readonly TaskField[]
  /** The indexes of its parent task and its heading, or -1. */
  readonly above: number
  readonly section: number
}

export interface TaskField {
  readonly key: string
  readonly value: string
  readonly rawValue: RawText
  /** For a block: its lines, without the common indentation. */
  readonly block?: readonly string[]
  /** The raw lines, including blank ones at the end. */
  readonly rawBlock?: readonly RawText[]
  readonly indent: string
  readonly width: number
  readonly line: number
  readonly start: number
  readonly valueAt: number
  readonly valueEnd: number
  /** After the line with the key. */
  readonly lineEnd: number
  /** After the field, including its block and line ending. */
  readonly end: number
}

export interface Heading {
  readonly level: number
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Something in a file that is probably a mistake. */
export interface ScanProblem {
  readonly kind: 'unclosed fence' | 'unclosed comment' | 'almost a task' | 'below a field'
  readonly line: number
  /** The start of the line, and the position of the problem. */
  readonly start: number
  readonly at: number
}

export interface ScannedTasks {
  readonly tasks: readonly Task[]
  readonly headings: readonly Heading[]
  readonly scanProblems: readonly ScanProblem[]
}

const taskLine = /^([ \t]*)([-*+])[ \t]+\[([^\][\n]*)\](?:[ \t]+([^\n]*))?$/
const nearTaskLine = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]*\[[ xX_~-]\]/
const fieldStart = /^([ \t]+)([A-Za-z_][A-Za-z0-9_-]*):(?=[ \t]|$)/
const headingLine = /^(#{1,6})(?:[ \t]([^\n]*))?$/
export const blockIndicator = /^[|>](?:[-+]?[1-9]?|[1-9][-+])$/

/**
 * Finds the tasks of a file. Ignores everything else, including the content of blocks: text inside a task is never read as a task, a field
 * or a heading.
 */
export function readTasks(raw: RawText): readonly Task[] {
  return scanTasks(raw).tasks
}

/** Like `readTasks`, with headings and problems. Indexes are relative to the start of `range`. */
export function scanTasks(raw: RawText, range?: LinesRange): ScannedTasks {
  const lines = linesAfterByteOrderMark(raw, range)
  const hidden = findHiddenLines(lines)
  const tasks: Draft[] = []
  const headings: Heading[] = []
  const scanProblems: ScanProblem[] = []
  const odd = (kind: ScanProblem['kind'], line: Line) =>
    scanProblems.push({
      kind,
      line: line.number,
      start: line.start,
      at: line.start + indentOf(line.text).length,
    })
  /** The tasks that may contain the next line, the innermost last. */
  const open: Open[] = []
  let block: BlockDraft | undefined
  let lastField: FieldDraft | undefined
  let lastEnd = 0
  const closeTo = (width: number) => {
    for (let last = open.at(-1); last !== undefined && last.task.width >= width; last = open.at(-1)) {
      last.task.treeEnd = lastEnd
      open.pop()
    }
  }
  const extend = (owner: Open | undefined, end: number) => {
    lastEnd = end
    if (owner?.isAlone) owner.task.end = end
  }
  const closeBlock = () => {
    if (block !== undefined) block.field.block = dedent(block.lines)
    block = undefined
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]
    if (line === undefined) break
    const blank = isBlank(line.text)
    if (block !== undefined) {
      if (blank || widthOf(line.text) > block.field.width) {
        block.lines.push(line.text)
        if (blank) continue
        block.field.end = line.end
        extend(open.at(-1), line.end)
        continue
      }
      closeBlock()
    }
    if (blank) continue
    const width = widthOf(line.text)
    closeTo(width)
    const owner = open.at(-1)
    const task = readTask(line, width)
    if (task !== undefined) {
      task.above = owner?.index ?? -1
      task.section = headings.length - 1
      if (owner !== undefined) owner.isAlone = false
      open.push({ task, index: tasks.length, isAlone: true })
      tasks.push(task)
      lastEnd = line.end
      lastField = undefined
      continue
    }
    const found = hidden(index, owner?.task.width ?? -1)
    if (found !== undefined && 'last' in found) {
      index = found.last
      extend(owner, lines[index]?.end ?? line.end)
      continue
    }
    if (found !== undefined) odd(`unclosed ${found.unclosed}`, line)
    if (nearTaskLine.test(line.text)) odd('almost a task', line)
    const heading = width === 0 ? readHeading(line) : undefined
    if (heading !== undefined) headings.push(heading)
    if (owner === undefined) continue
    extend(owner, line.end)
    const field = readField(line, width)
    if (lastField !== undefined && width > lastField.width) odd('below a field', line)
    else lastField = field
    if (field === undefined) continue
    owner.task.fields.push(field)
    if (!blockIndicator.test(field.rawValue)) continue
    block = { field, lines: [] }
    field.rawBlock = block.lines
    lastField = undefined
  }
  closeBlock()
  closeTo(0)
  return { tasks, headings, scanProblems }
}

/** Returns the value of a field that occurs exactly once. */
export function fieldOf({ fields }: Task, key: string): string | undefined {
  const [field, second] = fields.filter((one) => one.key === key)
  return second === undefined ? field?.value : undefined
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

type FieldDraft = Mutable<TaskField>

type Draft = Mutable<Omit<Task, 'fields'>> & { readonly fields: FieldDraft[] }

interface Open {
  readonly task: Draft
  readonly index: number
  /** True while it has no subtask. */
  isAlone: boolean
}

interface BlockDraft {
  readonly field: FieldDraft
  readonly lines: RawText[]
}

function readTask(line: Line, width: number): Draft | undefined {
  const found = taskLine.exec(line.text)
  if (found === null) return undefined
  const [, indent = '', bullet = '', marker = '', rawHead = ''] = found
  return {
    line: line.number,
    start: line.start,
    end: line.end,
    treeEnd: line.end,
    indent,
    width,
    bullet,
    marker: textOf(marker),
    markerAt: line.start + line.text.indexOf('[') + 1,
    head: textOf(rawHead),
    rawHead,
    headAt: line.start + line.text.length - rawHead.length,
    lineEnd: line.end,
    eol: line.eol,
    above: -1,
    section: -1,
    fields: [],
  }
}

function readHeading({ text, start, end }: Line): Heading | undefined {
  const [found, signs = '', words = ''] = headingLine.exec(text) ?? []
  if (found === undefined) return undefined
  const shown = textOf(words).trim()
  return { level: signs.length, text: shown.replace(/(?:^|[ \t])#+$/, '').trim(), start, end }
}

function readField(line: Line, width: number): FieldDraft | undefined {
  const found = fieldStart.exec(line.text)
  if (found === null) return undefined
  const [all, indent = '', key = ''] = found
  let from = all.length
  let to = line.text.length
  while (from < to && isSpace(line.text[from])) from++
  while (to > from && isSpace(line.text[to - 1])) to--
  const valueAt = line.start + (from === to ? all.length : from)
  const rawValue = line.text.slice(from, to)
  return {
    key,
    value: textOf(rawValue),
    rawValue,
    indent,
    width,
    line: line.number,
    start: line.start,
    valueAt,
    valueEnd: valueAt + rawValue.length,
    lineEnd: line.end,
    end: line.end,
  }
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t'
}

function indentOf(text: RawText): string {
  return /^[ \t]*/.exec(text)?.[0] ?? ''
}

function dedent(lines: readonly RawText[]): string[] {
  const written = lines.slice(0, lines.findLastIndex((line) => !isBlank(line)) + 1)
  let min = Number.POSITIVE_INFINITY
  for (const line of written) if (!isBlank(line)) min = Math.min(min, indentOf(line).length)
  return written.map((line) => textOf(line.slice(min)).trimEnd())
}
