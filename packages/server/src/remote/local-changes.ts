import { type Answer, answerIn, type Entry, type StoredSession, type VoteChannel, votesIn } from '@cadre/core'
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
  const own = file.entries.filter((entry) => !known.has(entryKey(entry)))
  const isReplaced = replacedDecisions(file, record, known)
  const answers = answersIn(own.filter((entry) => !isReplaced(entry))).filter(({ name, answer }) =>
    isMissing(record.entries, name, answer),
  )
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

/** A question that several people decide has votes, and the answer follows from them. */
function answersIn(entries: readonly Entry[]): { name: string; answer: Answer }[] {
  const events = entries.filter((entry) => entry.role === 'event')
  const voted = new Set(events.flatMap((entry) => (entry.type === 'person.voted' ? [entry['name']] : [])))
  return events.flatMap((entry) => {
    const { type, decision, by, reason, via, id } = entry
    const isAnswer = type === 'person.answered' && !voted.has(entry['name'])
    if ((!isAnswer && type !== 'person.voted') || typeof decision !== 'string') return []
    const answer: Answer = {
      decision,
      ...(typeof by === 'string' && { by }),
      ...(typeof reason === 'string' && { reason }),
      ...(typeof via === 'string' && { via: via as VoteChannel }),
      ...(typeof id === 'string' && { id }),
    }
    return [{ name: String(entry['name']), answer }]
  })
}

function isMissing(entries: readonly Entry[], name: string, answer: Answer): boolean {
  if (answerIn(entries, name) !== undefined) return false
  const isSame = (vote: { readonly by: string; readonly decision: string }) =>
    vote.by === answer.by && vote.decision === answer.decision
  return answer.via === undefined || !votesIn(entries, name).some(isSame)
}
