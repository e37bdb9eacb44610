import type { TaskItem } from '@cadre/tasks'

/** The sessions that had a hand in how a task reads: the one that created it, and those that changed it. */
export function causesOf({ fields }: TaskItem): readonly string[] {
  const written = [fields.get('created_by'), fields.get('updated_by')]
  return written.flatMap((names) => names?.split(/[\s,]+/).filter((name) => name !== '') ?? [])
}

/** The session that created a task; `undefined` when a person did. */
export function creatorOf({ fields }: TaskItem): string | undefined {
  return fields.get('created_by')?.trim() || undefined
}

/** Whether a session itself has brought a task to where it stands. What a person marks later is another state. */
export function isMarkedBy({ fields, state }: TaskItem, session: string): boolean {
  return fields.get('marked_by') === `${session} ${state}`
}
