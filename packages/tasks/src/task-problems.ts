import { type RawText, textOf } from '@cadre/disk'
import type { ScanProblem, TaskField } from './read-tasks.ts'
import type { HeadField, HeadToken } from './task-head.ts'
import type { TaskProblem } from './task-item.ts'
import { isFailed, isPlainBullet, stateFromMarker } from './task-state.ts'
import type { ReadFile, WrittenTask } from './written-tasks.ts'

type AddProblem = (at: number, severity: TaskProblem['severity'], code: string, message: string) => void

/** The maximum number of problems per line. */
const maxPerLine = 20

/** Returns all problems of a file, by line. `docs/tasks.md` has a row for each code. */
export function problemsOf(raw: RawText, { scan, written }: ReadFile): readonly TaskProblem[] {
  const problems: TaskProblem[] = []
  const sayOn =
    (line: number, start: number): AddProblem =>
    (at, severity, code, message) => {
      if (problems.length >= maxPerLine && problems.at(-maxPerLine)?.line === line) return
      problems.push({ severity, code, message, line, column: textOf(raw.slice(start, at)).length + 1 })
    }
  const ids = new Map<string, number>()
  for (const one of written) {
    const { task } = one
    if (isPlainBullet(task)) continue
    const say = sayOn(task.line, task.start)
    checkMarkers(one, say)
    checkHead(one, say)
    checkIndent(one, written[task.above], say)
    checkFields(one, sayOn)
    checkMeaning(one, written[task.above], { ids, say, sayOn })
  }
  for (const { kind, line, start, at } of scan.scanProblems)
    sayOn(line, start)(at, 'warning', ...scanProblems[kind])
  return problems.sort((a, b) => a.line - b.line || a.column - b.column)
}

const scanProblems: Readonly<Record<ScanProblem['kind'], readonly [code: string, message: string]>> = {
  'almost a task': [
    'TD005',
    'This looks like a task but is not one. A task begins with `- [ ] `, with both spaces.',
  ],
  'below a field': [
    'TD041',
    'This line is indented deeper than the field above it, but is not part of it. Write multi-line text below `key: |`.',
  ],
  'unclosed fence': ['TD043', 'This code block is not closed, so Cadre does not treat it as code. Close it.'],
  'unclosed comment': [
    'TD044',
    'This comment is not closed, so Cadre does not treat it as a comment. Close it with `-->`.',
  ],
}

function checkMarkers({ task, head }: WrittenTask, say: AddProblem): void {
  const first = task.marker
  if (stateFromMarker(first) === undefined)
    say(
      task.markerAt - 1,
      'error',
      'TD004',
      `\`[${first}]\` is not a marker, so Cadre ignores the task. Write \`[ ]\` open, \`[~]\` running, \`[x]\` done or \`[-]\` skipped.`,
    )
  // Further markers are always first.
  if (head.tokens[0]?.kind === 'marker')
    say(task.markerAt - 1, 'error', 'TD006', 'This task has more than one marker. Keep one.')
}

const quoteCodes = { '"': 'TD001', "'": 'TD002', '`': 'TD003' } as const

function checkHead({ task, head, item }: WrittenTask, say: AddProblem): void {
  const { tokens, unclosed } = head
  const titleAt = tokens.findIndex(({ kind }) => kind === 'title')
  const title = tokens[titleAt]
  const at = (token: HeadToken) => task.headAt + token.at
  if (unclosed !== undefined && title !== undefined)
    say(at(title), 'error', quoteCodes[unclosed], `The title begins with ${unclosed}, which is not closed.`)
  const isBare = title?.kind === 'title' && title.quote === undefined
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'priority' && !/^[A-D]$/.test(token.text))
      say(
        at(token),
        'warning',
        'TD013',
        `The priority is ${token.text}, but it should be A to D. If it is a word in the title, put the title in quotes.`,
      )
    if (titleAt === -1 || index < titleAt) continue
    if (token.kind === 'who')
      say(at(token), 'warning', 'TD010', `@${token.text} is after the title. Move it before the title.`)
    if (token.kind === 'tag')
      say(at(token), 'warning', 'TD011', `#${token.text} is after the title. Move it before the title.`)
    if (token.kind === 'rest') readEndState(token.text, (...said) => say(at(token), ...said))
    if (token.kind === 'field') checkHeadField(token, isBare, (...said) => say(at(token), ...said))
  }
  if (isBare && title !== undefined) checkTitle(title.text, (word, ...said) => say(at(title) + word, ...said))
  if (title === undefined && !item?.title)
    say(task.headAt, 'warning', 'TD031', 'This task has no title. Write the title in quotes.')
}

type ReportProblem = (severity: TaskProblem['severity'], code: string, message: string) => void

function readEndState(text: string, tell: ReportProblem): void {
  if (/^[A-Z]$/.test(text))
    tell('warning', 'TD012', `Cadre ignores this ${text}: the priority must come before the title.`)
  else
    tell(
      'warning',
      'TD021',
      'Cadre ignores this text: only fields (`key: value`) can follow the title. Should the title end later?',
    )
}

function checkHeadField({ key, rawValue, text }: HeadField, isBare: boolean, tell: ReportProblem): void {
  if (isBare)
    tell(
      'warning',
      'TD020',
      `The title is not in quotes and ends where \`${key}:\` begins. Put it in quotes.`,
    )
  else if (/[^,][ \t]/.test(rawValue) && text === textOf(rawValue))
    tell('warning', 'TD100', `The value of \`${key}\` has spaces. Put it in quotes.`)
}

/** Reports words that have a meaning before the title, but are only text in it. */
function checkTitle(text: string, tell: (word: number, ...told: Parameters<ReportProblem>) => void): void {
  for (const found of text.matchAll(/(?<=^|[ \t])([@#])[^\s@#,"'`]+/g)) {
    const [code, what] = found[1] === '@' ? ['TD010', 'does not assign the task'] : ['TD011', 'is not a tag']
    // Columns are counted in bytes until they are shown.
    const at = Buffer.byteLength(text.slice(0, found.index))
    tell(
      at,
      'warning',
      code,
      `${found[0]} is a word in the title and ${what}. Write it before the title, or put the title in quotes.`,
    )
  }
}

function checkIndent({ task }: WrittenTask, above: WrittenTask | undefined, say: AddProblem): void {
  const step = task.width - (above?.task.width ?? 0)
  if (task.indent.includes('\t'))
    say(
      task.start,
      'warning',
      'TD034',
      'This task is indented with tabs. A level is two spaces; a tab counts as one level.',
    )
  if (task.width % 2 !== 0)
    say(task.start, 'warning', 'TD030', `This task is indented by ${task.width}. A level is two spaces.`)
  if (above === undefined && task.width > 0)
    say(
      task.start,
      'warning',
      'TD032',
      'This task is indented but has no parent task. Is the task above it missing?',
    )
  else if (above !== undefined && step > 2)
    say(
      task.start,
      'warning',
      'TD033',
      `This task is ${step} columns deeper than its parent. A level is two spaces.`,
    )
}

function checkFields(one: WrittenTask, sayOn: (line: number, start: number) => AddProblem): void {
  const { task } = one
  if (!isEachOnce(one)) checkDuplicates(one, sayOn)
  for (const field of task.fields)
    if (field.rawBlock !== undefined && field.block?.length === 0)
      sayOn(field.line, field.start)(
        field.valueAt,
        'warning',
        'TD040',
        `There is no text below \`${field.key}: ${field.rawValue}\`. Indent the text deeper than the key.`,
      )
}

function isEachOnce({ task, head, item }: WrittenTask): boolean {
  let count = task.fields.length
  for (const { kind } of head.tokens) if (kind === 'field') count++
  return count === item?.fields.size
}

function checkDuplicates(
  { task, head }: WrittenTask,
  sayOn: (line: number, start: number) => AddProblem,
): void {
  const seen = new Set<string>()
  const look = (key: string, at: number, say: AddProblem) => {
    if (seen.has(key))
      say(
        at,
        'error',
        'TD051',
        `\`${key}\` is set twice in this task, and Cadre uses only the first. Keep one.`,
      )
    seen.add(key)
  }
  for (const token of head.tokens)
    if (token.kind === 'field') look(token.key, task.headAt + token.at, sayOn(task.line, task.start))
  for (const field of task.fields) look(field.key, keyAt(field), sayOn(field.line, field.start))
}

interface Meaning {
  readonly ids: Map<string, number>
  readonly say: AddProblem
  readonly sayOn: (line: number, start: number) => AddProblem
}

function checkMeaning(one: WrittenTask, above: WrittenTask | undefined, { ids, say, sayOn }: Meaning): void {
  const { task, head, item } = one
  if (item === undefined) return
  const on = (key: string): ((...told: Parameters<ReportProblem>) => void) => {
    const token = head.tokens.find((part) => part.kind === 'field' && part.key === key)
    if (token !== undefined) return (...told) => say(task.headAt + token.at, ...told)
    const field = task.fields.find((part) => part.key === key)
    return field === undefined
      ? (...told) => say(task.start, ...told)
      : (...told) => sayOn(field.line, field.start)(keyAt(field), ...told)
  }
  const id = item.fields.get('id')
  if (id !== undefined && ids.has(id) && id !== '')
    on('id')('error', 'TD050', `The task on line ${ids.get(id)} already has the id ${id}. Choose another id.`)
  else if (id !== undefined && !isReferableId(id))
    on('id')('warning', 'TD052', 'No task can depend on this id. An id is one word without commas.')
  if (id && !ids.has(id)) ids.set(id, task.line)
  if (isFailed(item.fields.get('status')) && item.state !== 'failed')
    on('status')(
      'warning',
      'TD060',
      `The status is failed, but the marker is ${item.state}. The marker takes precedence.`,
    )
  const said = item.fields.get('parent')
  const parent = above?.item?.id
  if (said && parent !== undefined && said !== parent)
    on('parent')(
      'warning',
      'TD061',
      `This task is indented below ${parent}, but its parent field is ${said}. The indentation takes precedence.`,
    )
}

/** Returns whether other tasks can refer to this id. */
export function isReferableId(id: string): boolean {
  return /^[^\s,\p{Cc}]+$/u.test(id)
}

function keyAt({ start, indent }: TaskField): number {
  return start + indent.length
}
