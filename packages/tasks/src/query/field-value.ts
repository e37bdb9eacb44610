import type { TaskItem } from '../task-item.ts'

/** A task, and the display name of its file. */
export interface TaskRow {
  readonly file: string
  readonly task: TaskItem
}

/** Null for a missing field and for an empty list. */
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
const booleanField = (of: (task: TaskItem) => boolean): BuiltInField => ({
  kind: 'boolean',
  of: ({ task }) => of(task),
})

const who = list((task) => task.who)

/** The fields of every task, in the order of `*`. Their names take precedence over written fields. */
const builtIns: ReadonlyMap<string, BuiltInField> = new Map([
  ['id', text(({ id }) => id)],
  ['title', text(({ title }) => title)],
  ['state', text(({ state }) => state)],
  ['completed', booleanField(({ state }) => state === 'done')],
  // The marker `[-]`, which failed tasks have as well.
  ['skipped', booleanField(({ state }) => state === 'skipped' || state === 'failed')],
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

/** In the order of `*`, without alternative names. */
export const builtInNames: readonly string[] = [...builtIns.keys()].filter((name) => name !== 'stakeholders')

export const builtInFields: readonly string[] = [...builtIns.keys()]

/** The type of a field's values. Written fields are text. */
export function fieldKind(name: string): FieldKind {
  return builtIns.get(name.toLowerCase())?.kind ?? 'text'
}

/** Normalises a field name: lowercase for a built-in field, unchanged for a written one. */
export function plainName(name: string): string {
  const plain = name.toLowerCase()
  return builtIns.has(plain) ? plain : name
}

/** Returns a function that reads a field of a task. */
export function fieldReader(name: string): (row: TaskRow) => FieldValue {
  return builtIns.get(name.toLowerCase())?.of ?? (({ task }) => task.fields.get(name) ?? null)
}

/** The keys of written fields that `*` shows in addition to the built-in ones. */
export function writtenFieldNames({ fields }: TaskItem): string[] {
  return [...fields.keys()].filter((key) => !builtIns.has(key))
}
