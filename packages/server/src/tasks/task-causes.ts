import type { TaskItem } from '@cadre/tasks'

/** The sessions that created or changed a task. */
export function sessionsBehindTask({ fields }: TaskItem): readonly string[] {
  const written = [fields.get('created_by'), fields.get('updated_by')]
  return written.flatMap((names) => names?.split(/[\s,]+/).filter((name) => name !== '') ?? [])
}

/** The session that created a task, or `undefined` if a person did. */
export function creatorOf({ fields }: TaskItem): string | undefined {
  return fields.get('created_by')?.trim() || undefined
}

/** Returns whether this session set the current state of a task. */
export function isMarkedBy({ fields, state }: TaskItem, session: string): boolean {
  return fields.get('marked_by') === `${session} ${state}`
}
