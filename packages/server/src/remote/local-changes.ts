import { type Answer, answerIn, type Entry, type StoredSession, votesIn } from '@cadre/core'
import { contentKey, describeChange, entryKey } from '@cadre/journal'
import { mergeEntries } from './merge-entries.ts'
import type { FileBase } from './projected-base.ts'
import type { RemoteEdit } from './remote-trees.ts'

export interface LocalChanges {
  /** Answers and votes, in order. */
  readonly answers: readonly { readonly name: string; readonly answer: Answer }[]
  readonly edit?: RemoteEdit
}

/**
 * What people have changed in a session file that the record does not have yet: decisions that commands wrote, and edits by hand. `base` is
 * what the file had before. Without it, a removed entry cannot be told from one that was not written yet, so only additions count.
 */
export function localChanges(
  file: StoredSession,
  record: StoredSession,
  base: FileBase = commonBase(file, record),
): LocalChanges | undefined {
  const known = new Set(base.entries)
  const own = addedTo(base.entries, file.entries)
  const isReplaced = replacedDecisions(file, record, known)
  const recorded = addedTo(base.entries, record.entries).map(entryKey)
  const missing = new Set(addedTo(recorded, own))
  const answers = answersIn(own.filter((entry) => !isReplaced(entry)))
    .filter(({ name, entry }) => missing.has(entry) && answerIn(record.entries, name) === undefined)
    .map(({ name, answer }) => ({ name, answer }))
  const sentAlone = new Set(own.filter((entry) => isDecision(entry) && !isReplaced(entry)))
  const edited = file.entries.filter(
    (entry) => !sentAlone.has(entry) && (!isNote(entry) || !own.includes(entry)),
  )
  const { systemPrompt } = file.spec
  const isPromptNew =
    systemPrompt !== record.spec.systemPrompt && contentKey(systemPrompt) !== base.systemPrompt
  const entries = mergeEntries(base.entries, edited, record.entries)
  const summary = describeChange(
    { entries: record.entries, systemPrompt: '' },
    { entries, systemPrompt: isPromptNew ? systemPrompt : '' },
  )
  if (summary === undefined) return answers.length === 0 ? undefined : { answers }
  const edit = {
    entries,
    base: record.entries.at(-1)?.seq ?? 0,
    summary,
    ...(isPromptNew && { systemPrompt }),
  }
  return { answers, edit: { id: contentKey(JSON.stringify(edit)), ...edit } }
}

function commonBase(file: StoredSession, record: StoredSession): FileBase {
  const theirs = record.entries.map(entryKey)
  const entries: string[] = []
  for (const entry of file.entries) {
    const key = entryKey(entry)
    if (theirs[entries.length] !== key) break
    entries.push(key)
  }
  return { entries, systemPrompt: contentKey(record.spec.systemPrompt) }
}

/** A person has changed a decision that the record has, so it is a part of the edit. */
function replacedDecisions(
  file: StoredSession,
  record: StoredSession,
  known: ReadonlySet<string>,
): (entry: Entry) => boolean {
  const kept = new Set(file.entries.map(entryKey))
  const isRemoved = (entry: Entry) => known.has(entryKey(entry)) && !kept.has(entryKey(entry))
  const removed = new Set(
    record.entries.flatMap((entry) => (isDecision(entry) && isRemoved(entry) ? [entry['name']] : [])),
  )
  return (entry) => isDecision(entry) && removed.has(entry['name'])
}

function isDecision(entry: Entry): entry is Extract<Entry, { role: 'event' }> {
  return entry.role === 'event' && (entry.type === 'person.answered' || entry.type === 'person.voted')
}

/** Notes of the engine on files. */
function isNote(entry: Entry): boolean {
  return entry.role === 'event' && entry.type.startsWith('journal.')
}

/** The entries that `before` does not have. A person may vote twice with the same words, so equal entries are counted. */
function addedTo(before: readonly string[], entries: readonly Entry[]): Entry[] {
  const left = new Map<string, number>()
  for (const key of before) left.set(key, (left.get(key) ?? 0) + 1)
  return entries.filter((entry) => {
    const key = entryKey(entry)
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
}

interface Given {
  readonly name: string
  readonly answer: Answer
  readonly entry: Entry
}

/**
 * A question that several people decide has votes, and the answer follows from them. All of a vote is passed on: without the names of the
 * people who no longer count, it would be a different one.
 */
function answersIn(entries: readonly Entry[]): Given[] {
  const events = entries.filter((entry) => entry.role === 'event')
  const voted = new Set(events.flatMap((entry) => (entry.type === 'person.voted' ? [entry['name']] : [])))
  return events.flatMap((entry): Given[] => {
    const name = String(entry['name'])
    if (entry.type === 'person.voted')
      return votesIn([entry], name).map(({ at: _, ...answer }) => ({ name, answer, entry }))
    const isAnswer = typeof entry['decision'] === 'string' && !voted.has(name)
    const answer = isAnswer ? answerIn([entry], name) : undefined
    return answer === undefined ? [] : [{ name, answer, entry }]
  })
}
