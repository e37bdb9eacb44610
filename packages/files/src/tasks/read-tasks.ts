import { type RawText, textOf } from './raw-text.ts'

/** One task of a file: its line, and what is indented below it. Offsets are into the raw text. */
export interface Task {
  /** Counted from 1. */
  readonly line: number
  readonly start: number
  /** Behind the last line that is not blank. */
  readonly end: number
  /** What stands before it on its line. */
  readonly indent: string
  /** What stands between the brackets. */
  readonly marker: string
  readonly markerAt: number
  /** What stands behind the brackets. */
  readonly head: string
  /** Of its first line. Empty when the file ends there. */
  readonly eol: string
  readonly fields: readonly TaskField[]
}

export interface TaskField {
  readonly key: string
  readonly value: string
  /** Of a field that is a block: its lines, without what all of them are indented by. */
  readonly block?: readonly string[]
  readonly indent: string
  readonly start: number
  readonly valueAt: number
  readonly valueEnd: number
  /** Behind the field, its block and the end of its line included. */
  readonly end: number
}

// White space is written out: the general class has characters that are parts of others here, where a character is a byte.
const taskLine = /^([ \t]*)[-*+][ \t]+\[([^\][\r\n]*)\](?:[ \t]+(.*))?$/
const fieldLine = /^([ \t]+)([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*?))?[ \t]*$/
const blockSign = /^[|>][-+0-9]*$/

/**
 * Finds the tasks of a file. Whatever else is in it is left alone, and so is everything inside of a block: text that a task
 * carries is never taken for a task, a field or a heading, however it reads.
 */
export function readTasks(raw: RawText): Task[] {
  const tasks: Draft[] = []
  let task: Draft | undefined
  let block: BlockDraft | undefined
  for (const line of linesOf(raw)) {
    const isBlank = /^[ \t]*$/.test(line.text)
    if (block !== undefined) {
      if (isBlank || widthOf(line.text) > block.width) {
        block.lines.push(line.text)
        if (!isBlank) extend(task, block.field, line.end)
        continue
      }
      block = undefined
    }
    if (isBlank) continue
    const [found, indent = '', marker = '', head = ''] = taskLine.exec(line.text) ?? []
    if (found !== undefined) {
      const markerAt = line.start + line.text.indexOf('[') + 1
      const eol = line.eol
      task = {
        line: line.number,
        start: line.start,
        end: line.end,
        indent,
        marker,
        markerAt,
        head,
        eol,
        fields: [],
      }
      tasks.push(Object.assign(task, { width: widthOf(indent) }))
      continue
    }
    if (task === undefined || widthOf(line.text) <= (task.width ?? 0)) {
      task = undefined
      continue
    }
    extend(task, undefined, line.end)
    const field = readField(line)
    if (field === undefined) continue
    task.fields.push(field)
    if (!blockSign.test(field.raw)) continue
    block = { field, width: widthOf(field.indent), lines: [] }
    field.blockLines = block.lines
  }
  return tasks.map(finished)
}

/** The value of a field that is there exactly once. */
export function fieldOf({ fields }: Task, key: string): string | undefined {
  const [field, second] = fields.filter((one) => one.key === key)
  return second === undefined ? field?.value : undefined
}

interface Draft {
  line: number
  start: number
  end: number
  indent: string
  marker: string
  markerAt: number
  head: string
  eol: string
  width?: number
  fields: FieldDraft[]
}

interface FieldDraft {
  key: string
  raw: string
  indent: string
  start: number
  valueAt: number
  valueEnd: number
  end: number
  blockLines?: string[]
}

interface BlockDraft {
  readonly field: FieldDraft
  readonly width: number
  readonly lines: string[]
}

interface Line {
  readonly number: number
  readonly start: number
  /** Behind the end of the line. */
  readonly end: number
  readonly text: string
  readonly eol: string
}

/** A line ends with a line feed; a carriage return before it belongs to the end. */
export function* linesOf(raw: RawText): Generator<Line> {
  let number = 1
  for (let start = 0; start < raw.length; number++) {
    const at = raw.indexOf('\n', start)
    const end = at === -1 ? raw.length : at + 1
    const stop = at === -1 ? raw.length : raw[at - 1] === '\r' && at > start ? at - 1 : at
    yield { number, start, end, text: raw.slice(start, stop), eol: raw.slice(stop, end) }
    start = end
  }
}

function readField(line: Line): FieldDraft | undefined {
  const [found, indent = '', key = '', raw = ''] = fieldLine.exec(line.text) ?? []
  if (found === undefined) return undefined
  const colon = line.start + indent.length + key.length
  const gap = /^:[ \t]*/.exec(line.text.slice(indent.length + key.length))?.[0].length ?? 1
  const valueAt = raw === '' ? colon + 1 : colon + gap
  return { key, raw, indent, start: line.start, valueAt, valueEnd: valueAt + raw.length, end: line.end }
}

function extend(task: Draft | undefined, field: FieldDraft | undefined, end: number): void {
  if (task !== undefined) task.end = end
  if (field !== undefined) field.end = end
}

function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (character === ' ') width += 1
    else if (character === '\t') width += 8
    else break
  }
  return width
}

function finished({ width: _, fields, ...task }: Draft): Task {
  return {
    ...task,
    head: textOf(task.head),
    marker: textOf(task.marker),
    fields: fields.map(({ raw, blockLines, ...field }) => ({
      ...field,
      value: textOf(raw),
      ...(blockLines && { block: dedented(blockLines) }),
    })),
  }
}

function dedented(lines: readonly string[]): string[] {
  const written = lines.slice(0, lines.findLastIndex((line) => !/^[ \t]*$/.test(line)) + 1)
  const indents = written.flatMap((line) =>
    /^[ \t]*$/.test(line) ? [] : [/^[ \t]*/.exec(line)?.[0].length ?? 0],
  )
  const least = Math.min(...indents)
  return written.map((line) => textOf(line.slice(least)).trimEnd())
}
