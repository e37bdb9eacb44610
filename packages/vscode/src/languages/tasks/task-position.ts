/** What is being typed in a task file. Offsets are within the line. */
export interface TaskPosition {
  readonly kind: 'marker' | 'agent' | 'tag' | 'id' | 'field' | 'task'
  readonly start: number
  readonly end: number
}

const taskLine = /^\s*[-*+] +\[[^\]]*\]( |$)/

/** `isBelowTask`: the line is indented below a task, so it can contain fields. */
export function positionInTask(
  line: string,
  character: number,
  isBelowTask: boolean,
): TaskPosition | undefined {
  const before = line.slice(0, character)
  const [, bullet] = /^(\s*[-*+] +\[)[^\]]?$/.exec(before) ?? []
  if (bullet !== undefined)
    return { kind: 'marker', start: bullet.length, end: markerEnd(line, bullet.length) }
  const [, ids] = /^(\s+(?:depends_on|parent):\s*(?:[^\s,]+[\s,]+)*)[^\s,]*$/.exec(before) ?? []
  if (ids !== undefined && isBelowTask) return word('id', line, ids.length, character)
  if (taskLine.test(line)) {
    const [, sign, rest] = /(?:^|\s)([@#])([^\s@#,"'`]*)$/.exec(before) ?? []
    // After the title, both are plain text.
    if (sign === undefined || rest === undefined || /["'`]/.test(before)) return undefined
    return word(sign === '@' ? 'agent' : 'tag', line, character - rest.length, character)
  }
  if (/^\s*(?:[-*+] ?)?$/.test(before) && !isBelowTask)
    return { kind: 'task', start: before.search(/\S|$/), end: character }
  if (isBelowTask && /^\s+[\w-]*$/.test(before)) return word('field', line, before.search(/\S|$/), character)
  return undefined
}

function markerEnd(line: string, start: number): number {
  const end = line.indexOf(']', start)
  return end === start || end === start + 1 ? end : start
}

function word(kind: TaskPosition['kind'], line: string, start: number, character: number): TaskPosition {
  const rest = /^[^\s,@#:"'`]*/.exec(line.slice(character))?.[0] ?? ''
  return { kind, start, end: character + rest.length }
}

export const taskMarkers: readonly { readonly marker: string; readonly state: string }[] = [
  { marker: ' ', state: 'open' },
  { marker: '~', state: 'running' },
  { marker: 'x', state: 'done' },
  { marker: '-', state: 'skipped, or failed with status: failed' },
]

export const taskFields: readonly {
  readonly key: string
  readonly about: string
  readonly value?: string
}[] = [
  { key: 'id', about: 'The id of the task, unique in the home. One word without commas' },
  { key: 'depends_on', about: 'Ids of tasks that must be done first' },
  { key: 'parent', about: 'The id of the parent task, if this task is not nested below it' },
  { key: 'approval_required', value: 'true', about: 'Every action in its session needs approval' },
  { key: 'description', value: '|', about: 'Multi-line text, indented below' },
  { key: 'due', about: 'The due date' },
]
