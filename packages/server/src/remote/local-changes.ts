import { type Answer, answerIn, type Entry, type StoredSession, type VoteChannel, votesIn } from '@cadre/core'
import { isSameEntry } from '@cadre/journal'
import type { RemoteEdit } from './remote-trees.ts'

export interface LocalChanges {
  /** Answers and votes, in order. */
  readonly answers: readonly { readonly name: string; readonly answer: Answer }[]
  readonly edit?: RemoteEdit
}

/**
 * What people have changed in a session file that the record does not have yet: decisions that commands wrote, and edits by hand. `written`
 * is how many entries the file had when Cadre last wrote it, if a person may have removed some of them.
 */
export function localChanges(
  file: StoredSession,
  record: StoredSession,
  written = 0,
): LocalChanges | undefined {
  let common = 0
  while (isSameEntry(file.entries[common], record.entries[common])) common++
  const added = file.entries.slice(common)
  const answers = answersIn(added).filter(({ name, answer }) => isMissing(record.entries, name, answer))
  const later = record.entries.slice(common)
  const others = added.filter((entry) => isWrittenByPerson(entry) && !later.some((one) => says(one, entry)))
  const isRewound = common < written
  const { systemPrompt } = file.spec
  const isPromptNew = systemPrompt !== record.spec.systemPrompt
  const kept = record.entries.slice(0, common)
  const summary = summaryOf(others.length, isRewound ? written - common : 0, isPromptNew)
  if (answers.length === 0 && summary === undefined) return undefined
  if (summary === undefined) return { answers }
  const last = isRewound ? record.entries.at(-1) : kept.at(-1)
  const from = kept.at(-1)?.seq ?? 0
  return {
    answers,
    edit: {
      entries: [...kept, ...others.map((entry, index) => ({ ...entry, seq: from + index + 1 }))],
      base: last?.seq ?? 0,
      summary,
      ...(isPromptNew && { systemPrompt }),
    },
  }
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

/** Events are written by Cadre: decisions, and notes of the engine on files. */
function isWrittenByPerson(entry: Entry): boolean {
  return entry.role !== 'event'
}

function says(one: Entry, other: Entry): boolean {
  return isSameEntry({ ...one, seq: 0, timestamp: '' }, { ...other, seq: 0, timestamp: '' })
}

function summaryOf(added: number, removed: number, isPromptNew: boolean): string | undefined {
  const count = (number: number) => (number === 1 ? '1 entry' : `${number} entries`)
  const parts = [
    ...(added > 0 ? [`${count(added)} added`] : []),
    ...(removed > 0 ? [`${count(removed)} removed`] : []),
    ...(isPromptNew ? ['system prompt changed'] : []),
  ]
  return parts.length === 0 ? undefined : `The session file was changed: ${parts.join(', ')}.`
}
