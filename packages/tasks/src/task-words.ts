import type { TaskChange, TaskItem } from './task-item.ts'
import { isFailed } from './task-state.ts'

/** Normalises a title: one line, without invisible characters. */
export function normaliseTitle(title: string): string {
  const unseen = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/gu
  return title.toWellFormed().replace(unseen, ' ').trim()
}

/** Returns the reason why a change cannot be written, or `undefined` if it can. */
export function invalidChangeReason(
  change: TaskChange,
  item: Pick<TaskItem, 'state'> | undefined,
): string | undefined {
  if (change.title !== undefined && normaliseTitle(change.title) === '') return 'A task needs a title.'
  if (typeof change.priority === 'string' && !/^[A-Z]$/.test(change.priority))
    return `${quoteText(change.priority)} is not a valid priority. A priority is one capital letter.`
  const name = [...(change.who ?? []), ...(change.tags ?? [])].find((one) => !isName(one))
  if (name !== undefined)
    return `${quoteText(name)} is not a valid name after @ or #. A name is one word without quotes, commas, @ and #.`
  const key = Object.keys(change.fields ?? {}).find((one) => !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(one))
  if (key !== undefined)
    return `${quoteText(key)} is not a valid key. Use letters, digits, - and _, and begin with a letter or _.`
  if (change.fields !== undefined && Object.hasOwn(change.fields, 'id'))
    return "A task's id cannot be changed."
  const status = change.fields?.['status']
  const state = change.state ?? item?.state
  if (status === undefined || change.state === undefined) return undefined
  const isContrary = state === 'failed' ? !isFailed(status ?? undefined) : isFailed(status ?? undefined)
  return isContrary ? `A task cannot be ${state} with the status ${quoteText(String(status))}.` : undefined
}

function isName(name: string): boolean {
  return /^[^\s@#,"'`\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u.test(name) && name.isWellFormed()
}

function quoteText(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
