import type { TaskItem } from '../task-item.ts'

/** A task, and the file it stands in as it is shown. */
export interface TaskRow {
  readonly file: string
  readonly task: TaskItem
}

/** Nothing is null: a field that is not written, and a list without members. */
export type FieldValue = string | number | boolean | readonly string[] | null

export type FieldKind = 'text' | 'number' | 'boolean' | 'list'

interface BuiltInField {
  readonly kind: FieldKind
  readonly of: (row: TaskRow) => FieldValue
}

const text = (of: (task: TaskItem) => string | undefined): BuiltInField => ({
  kind: 'text',
  of: ({ task }) => of(task) ?? null,
})
const list = (of: (task: TaskItem) => readonly string[]): BuiltInField => ({
  kind: 'list',
  of({ task }) {
    const members = of(task)
    return members.length === 0 ? null : members
  },
})
const truth = (of: (task: TaskItem) => boolean): BuiltInField => ({
  kind: 'boolean',
  of: ({ task }) => of(task),
})

const who = list((task) => task.who)

/** What every task has, in the order in which `*` shows it. Their names win over written fields that are called so. */
const builtIns: ReadonlyMap<string, BuiltInField> = new Map([
  ['id', text(({ id }) => id)],
  ['title', text(({ title }) => title)],
  ['state', text(({ state }) => state)],
  ['completed', truth(({ state }) => state === 'done')],
  // The marker `[-]`: of a task that failed as well.
  ['skipped', truth(({ state }) => state === 'skipped' || state === 'failed')],
  ['priority', text(({ priority }) => priority)],
  ['who', who],
  ['tags', list(({ tags }) => tags)],
  ['parent', text(({ parent }) => parent)],
  ['depends_on', list(({ dependsOn }) => dependsOn)],
  ['section', text(({ section }) => section || undefined)],
  ['file', { kind: 'text', of: ({ file }) => file }],
  ['line', { kind: 'number', of: ({ task }) => task.line }],
  ['depth', { kind: 'number', of: ({ task }) => task.depth }],
  ['completed_at', text(({ fields }) => fields.get('completed') ?? fields.get('completed_at'))],
  ['stakeholders', who],
])

/** In the order in which `*` shows them. A second name of the same is left out. */
export const builtInNames: readonly string[] = [...builtIns.keys()].filter((name) => name !== 'stakeholders')

export const builtInFields: readonly string[] = [...builtIns.keys()]

/** What kind of values a field has. Written fields are text. */
export function fieldKind(name: string): FieldKind {
  return builtIns.get(name.toLowerCase())?.kind ?? 'text'
}

/** The name as everything here knows it: that of a built-in field in small letters, that of a written one as it is. */
export function plainName(name: string): string {
  const plain = name.toLowerCase()
  return builtIns.has(plain) ? plain : name
}

/** How to get the value of a field out of a task. */
export function fieldReader(name: string): (row: TaskRow) => FieldValue {
  return builtIns.get(name.toLowerCase())?.of ?? (({ task }) => task.fields.get(name) ?? null)
}

/** Keys of the fields written in a task that `*` shows beside what every task has. */
export function writtenNames({ fields }: TaskItem): string[] {
  return [...fields.keys()].filter((key) => !builtIns.has(key))
}
