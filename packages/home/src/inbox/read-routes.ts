import { didYouMean } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { type Located, readYaml } from '@cadre/disk'
import type { Condition, InboxRoute, TaskTemplate } from './inbox-route.ts'

export interface ParsedRoutes {
  readonly routes: readonly InboxRoute[]
  /** If one is an error, no route applies, because an incomplete list could misroute messages. */
  readonly diagnostics: readonly Diagnostic[]
}

type Wrong = (line: number, code: string, message: string, fix?: string) => void

const routeKeys = ['from', 'match', 'to', 'conversation', 'text', 'task', 'drop']
const example = 'Write it as "- from: slack-messages" with "to: AGENT", "task: {…}" or "drop: true" below it.'
const maxRoutes = 1_000

/** Reads `inbox/routes.yaml`, and reports all errors with their lines. */
export function readRoutes(text: string, path: string): ParsedRoutes {
  const read = readYaml({ text, path })
  if (read.kind === 'broken') return { routes: [], diagnostics: read.diagnostics }
  const diagnostics: Diagnostic[] = []
  const wrong: Wrong = (line, code, message, fix) => {
    diagnostics.push({ path, line, severity: 'error', code, message, ...(fix && { fix }) })
  }
  const { root } = read
  if (root.value === null) return { routes: [], diagnostics }
  for (const [key, { line }] of root.fields ?? []) {
    if (key !== 'routes')
      wrong(line, 'unknown-key', `There is no key ${JSON.stringify(key)} here. The only key is routes.`)
  }
  const list = root.fields?.get('routes')
  if (list?.items === undefined && list?.value !== null)
    wrong(list?.line ?? root.line, 'wrong-value', 'routes must be a list.', example)
  if ((list?.items?.length ?? 0) > maxRoutes)
    wrong(
      list?.line ?? root.line,
      'wrong-value',
      `There are too many routes (at most ${maxRoutes}).`,
      'Combine routes with * in match.',
    )
  const routes = (list?.items ?? []).slice(0, maxRoutes).flatMap((item) => readRoute(item, wrong) ?? [])
  return { routes: diagnostics.length === 0 ? routes : [], diagnostics }
}

function readRoute(item: Located, wrong: Wrong): InboxRoute | undefined {
  const { fields, line } = item
  if (fields === undefined) {
    wrong(line, 'wrong-value', 'A route must be a mapping of keys to values.', example)
    return undefined
  }
  checkKeys(fields, routeKeys, 'in a route', wrong)
  const from = textsOf(fields.get('from'), 'from', wrong)
  if (from.length === 0)
    wrong(
      line,
      'missing-key',
      'A route needs "from": the name of a file in inbox/ without its extension, or "*".',
    )
  const head = {
    line,
    from: from.map((name) => name.replace(/\.jsonl$/, '')),
    match: matchOf(fields.get('match'), wrong),
  }
  const ways = ['to', 'task', 'drop'].filter((key) => fields.has(key))
  if (ways.length !== 1) {
    const said = ways.length === 0 ? 'this route has none' : `this route has ${ways.join(' and ')}`
    wrong(line, 'wrong-value', `A route needs exactly one of to, task and drop, but ${said}.`)
    return undefined
  }
  const [conversation, text] = ['conversation', 'text'].map((key) => textOf(fields.get(key), key, wrong))
  if (ways[0] !== 'to' && (conversation ?? text) !== undefined)
    wrong(line, 'wrong-value', 'Only a route with "to" can have conversation and text.')
  if (ways[0] === 'to') {
    const to = textOf(fields.get('to'), 'to', wrong) ?? ''
    return { ...head, kind: 'agent', to, ...(conversation && { conversation }), ...(text && { text }) }
  }
  if (ways[0] === 'task') {
    const task = taskOf(fields.get('task') ?? item, wrong)
    return task && { ...head, kind: 'task', task }
  }
  if (fields.get('drop')?.value !== true)
    wrong(fields.get('drop')?.line ?? line, 'wrong-value', 'drop can only be true.')
  return { ...head, kind: 'drop' }
}

function matchOf(at: Located | undefined, wrong: Wrong): Condition[] {
  if (at === undefined || at.value === null) return []
  if (at.fields === undefined) {
    wrong(at.line, 'wrong-value', 'match must be a mapping of fields to values, such as {user: boss}.')
    return []
  }
  return [...at.fields].map(([field, { line, value, items }]) => {
    const values = items === undefined ? [value] : items.map((item) => item.value)
    for (const one of values) {
      if (typeof one === 'object' && one !== null)
        wrong(
          line,
          'wrong-value',
          `match.${field} must be a string, a number, true, false, null, or a list of them.`,
        )
      if (typeof one === 'string' && /^\/.+\/[a-z]*$/.test(one))
        wrong(
          line,
          'no-pattern',
          `match.${field} looks like a regular expression, which match does not support.`,
          'Use * for any text.',
        )
    }
    return { field, values: values as Condition['values'] }
  })
}

const taskFile = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\.task\.md$/
const ownKeys = ['file', 'title', 'who', 'tags', 'priority']
/** Fields that only the daemon writes, or that control a task. */
const reserved = [
  'id',
  'state',
  'session',
  'started',
  'completed',
  'status',
  'result',
  'error',
  'type',
  'created_by',
  'updated_by',
  'marked_by',
  'key',
]

function taskOf(at: Located, wrong: Wrong): TaskTemplate | undefined {
  const { fields, line } = at
  if (fields === undefined) {
    wrong(
      line,
      'wrong-value',
      'task must be a mapping of keys to values: file, title, who and other task fields.',
    )
    return undefined
  }
  const file = textOf(fields.get('file'), 'task.file', wrong)?.replace(/^tasks\//, '')
  const name = file === undefined || file.endsWith('.task.md') ? file : `${file}.task.md`
  const title = textOf(fields.get('title'), 'task.title', wrong)
  if (name === undefined)
    wrong(line, 'missing-key', 'task needs "file": a file in tasks/ such as triage.task.md.')
  else if (!taskFile.test(name) || name === 'approvals.task.md')
    wrong(
      fields.get('file')?.line ?? line,
      'wrong-value',
      `task.file: ${JSON.stringify(name)} is not a valid name.`,
      'Use a file in tasks/, such as triage.task.md.',
    )
  if (title === undefined) wrong(line, 'missing-key', 'task needs "title".')
  const priority = textOf(fields.get('priority'), 'task.priority', wrong)
  if (priority !== undefined && !/^[A-Za-z]$/.test(priority))
    wrong(fields.get('priority')?.line ?? line, 'wrong-value', 'task.priority must be one letter.')
  const more = [...fields].filter(([key]) => !ownKeys.includes(key))
  for (const [key, field] of more) {
    if (reserved.includes(key) || !/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/.test(key))
      wrong(field.line, 'wrong-value', `A route cannot set the field ${JSON.stringify(key)} of a task.`)
  }
  const template = {
    file: name ?? '',
    title: title ?? '',
    who: textsOf(fields.get('who'), 'task.who', wrong),
    tags: textsOf(fields.get('tags'), 'task.tags', wrong),
    fields: Object.fromEntries(more.map(([key, field]) => [key, String(field.value ?? '')])),
  }
  return { ...template, ...(priority && { priority }) }
}

function checkKeys(
  fields: ReadonlyMap<string, Located>,
  known: readonly string[],
  where: string,
  wrong: Wrong,
): void {
  for (const [key, { line }] of fields) {
    const hint = didYouMean(key, known) || `. Known keys: ${known.join(', ')}.`
    if (!known.includes(key))
      wrong(line, 'unknown-key', `There is no key ${JSON.stringify(key)} ${where}${hint}`)
  }
}

function textOf(at: Located | undefined, name: string, wrong: Wrong): string | undefined {
  if (at === undefined) return undefined
  if (typeof at.value === 'string' && at.value.trim() !== '') return at.value
  wrong(at.line, 'wrong-value', `${name} must be a string.`)
  return undefined
}

/** Reads a string or a list of strings. */
function textsOf(at: Located | undefined, name: string, wrong: Wrong): string[] {
  if (at === undefined || at.value === null) return []
  const values = at.items?.map((item) => item.value) ?? [at.value]
  if (values.every((value): value is string => typeof value === 'string' && value !== '')) return values
  wrong(at.line, 'wrong-value', `${name} must be a string or a list of strings.`)
  return []
}
