import { createHash } from 'node:crypto'
import { array, type Schema, schema, string } from '@cadre/core'
import { isApprovalsFile, isApprovalType } from '@cadre/tasks'
import { Refusal } from '../refusal.ts'

/** Fields that Cadre writes itself: who claimed and created a task, and in which call. */
const ownFields: ReadonlySet<string> = new Set([
  'id',
  'key',
  'session',
  'created',
  'created_by',
  'updated_by',
  'marked_by',
  'started',
  'problem',
  'skipped_because',
])

/** One or several names: as a list, or separated by commas. */
export function nameList(description: string): Schema<readonly string[]> {
  const list = array(string('one of them'), description)
  return schema<readonly string[]>({ ...list.json }, (value, path) => {
    const checked = list.check(typeof value === 'string' ? value.split(/[\s,]+/) : value, path)
    if (checked.issues !== undefined) return checked
    const names = checked.value.map((name) => name.trim().replace(/^[@#]/, '')).filter((name) => name !== '')
    const wrong = names.find((name) => !/^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*$/u.test(name))
    if (wrong === undefined) return { value: names }
    return {
      issues: [
        {
          message: `contains ${JSON.stringify(wrong)}, which is not a valid name: use letters, digits and _ . : / -`,
          path,
        },
      ],
    }
  })
}

/** Fields by name; a value is text, a number or a boolean, and null to remove one. */
export function fieldValues(description: string): Schema<Readonly<Record<string, string | null>>> {
  return schema<Readonly<Record<string, string | null>>>({ type: 'object', description }, (value, path) => {
    const wrong = (message: string, key?: string) => ({
      issues: [{ message, path: key === undefined ? path : [...path, key] }],
    })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('must be an object')
    const fields: [string, string | null][] = []
    for (const [key, given] of Object.entries(value as Record<string, unknown>)) {
      if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(key)) return wrong('is not a valid field name', key)
      if (given === null) fields.push([key, null])
      else if (['string', 'number', 'boolean'].includes(typeof given)) fields.push([key, String(given)])
      else return wrong('must be a string, a number, true or false', key)
    }
    return { value: Object.fromEntries(fields) }
  })
}

/** Returns the file name in the folder `tasks`. */
export function taskFileName(given: string): string {
  const bare = given.replace(/^(?:\.\/)*(?:tasks\/)?/, '')
  const name = /\.md$/i.test(bare) ? bare : `${bare}.task.md`
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,199}\.task\.md$/u.test(name))
    throw new Refusal(
      `${JSON.stringify(given)} is not a valid task file. Use a name like tasks/redis-check.task.md, with letters, digits, . _ and -.`,
    )
  if (isApprovalsFile(name))
    throw new Refusal('Cadre writes approvals to this file. Put tasks in another file.')
  return name
}

/** The default file for an agent's tasks, used when the agent does not name one. */
export function taskFileForAgent(agent: string): string {
  const safe =
    agent
      .replace(/[^\p{L}\p{N}_.-]+/gu, '-')
      .replace(/^[^\p{L}\p{N}_]+/u, '')
      .slice(0, 100) || 'agent'
  return `${safe.toLowerCase() === 'approvals' ? `${safe}-agent` : safe}.task.md`
}

/** A short key for files that people read, unique per call. */
export function callKey(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}

/** Rejects fields that only Cadre writes, and anything that looks like an approval. */
export function rejectReservedFields(fields: Iterable<readonly [string, string | null]>): void {
  for (const [key, value] of fields) {
    if (ownFields.has(key)) throw new Refusal(`Cadre writes the field ${key} itself. Omit it.`)
    if (key === 'type' && isApprovalType(value))
      throw new Refusal('Cadre creates approvals itself. They cannot be created as tasks.')
  }
}
