/** How engines record questions to a person and their answers. */
import type { Answer, Question } from '../ports/engine.ts'
import type { Entry, EventDraft } from '../ports/entry.ts'
import type { Vote } from '../ports/votes.ts'

export function questionDraft({ detail, ...question }: Question): EventDraft {
  return { role: 'event', type: 'person.asked', ...question, ...(detail === undefined ? {} : { detail }) }
}

export function answerDraft(name: string, { decision, by, reason, votes }: Answer): EventDraft {
  return {
    role: 'event',
    type: 'person.answered',
    name,
    decision,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(votes === undefined ? {} : { votes: votes.map((vote) => ({ ...vote })) }),
  }
}

export function isAsked(entries: readonly Entry[], name: string): boolean {
  return entries.some(
    (entry) => entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === name,
  )
}

/** The first answer to a question counts. */
export function answerIn(entries: readonly Entry[], name: string): Answer | undefined {
  for (const entry of entries) {
    if (entry.role !== 'event' || entry.type !== 'person.answered' || entry['name'] !== name) continue
    const { decision, by, reason, votes } = entry
    return {
      decision: String(decision),
      ...(typeof by === 'string' ? { by } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
      ...(Array.isArray(votes) ? { votes: votes as unknown as readonly Vote[] } : {}),
    }
  }
  return undefined
}
