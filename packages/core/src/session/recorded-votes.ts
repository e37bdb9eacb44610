/** How engines record and count votes, for questions that need approvals from several people. */
import type { Answer } from '../ports/engine.ts'
import type { Entry, EventDraft } from '../ports/entry.ts'
import { CadreError } from '../ports/errors.ts'
import type { Json } from '../ports/json.ts'
import type { ApprovalRequirement, RecordedVote, Vote, VoteChannel } from '../ports/votes.ts'
import { answerDraft, answerIn } from './questions.ts'

const maxQuorum = 9

/** The approvals that a recorded question needs, or `undefined` if the first answer decides. */
export function requirementIn(entries: readonly Entry[], name: string): ApprovalRequirement | undefined {
  for (const entry of entries)
    if (entry.role === 'event' && entry.type === 'person.asked' && entry['name'] === name)
      return requirementOf(entry['detail'])
  return undefined
}

/** The same for the detail of a question. A damaged need is one that nobody meets: it must not become a weaker one. */
export function requirementOf(detail: unknown): ApprovalRequirement | undefined {
  if (!isRecord(detail) || !Object.hasOwn(detail, 'approvals')) return undefined
  const said = detail['approvals']
  const { quorum, roles, notByStarter } = isRecord(said) ? said : {}
  const isValid = Number.isSafeInteger(quorum) && (quorum as number) >= 1 && Array.isArray(roles)
  return {
    quorum: isValid ? (quorum as number) : maxQuorum,
    roles: isValid ? (roles as readonly Json[]).filter((role) => typeof role === 'string') : [],
    notByStarter: notByStarter !== false,
  }
}

/** Whether a need is stricter than the one that people voted on. */
export function isStricterRequirement(
  now: ApprovalRequirement | undefined,
  before: ApprovalRequirement | undefined,
): boolean {
  if (now === undefined) return false
  if (before === undefined) return true
  const { quorum, roles, notByStarter } = now
  return (
    quorum > before.quorum ||
    (notByStarter && !before.notByStarter) ||
    before.roles.some((role) => !roles.includes(role))
  )
}

/** All recorded votes about a question, in order. */
export function votesIn(entries: readonly Entry[], name: string): RecordedVote[] {
  return entries.flatMap((entry) => {
    if (entry.role !== 'event' || entry.type !== 'person.voted' || entry['name'] !== name) return []
    const { decision, by, via, reason, id, without } = entry
    if (typeof decision !== 'string' || typeof by !== 'string') return []
    return [
      {
        decision,
        by,
        via: via as VoteChannel,
        ...(typeof reason === 'string' && { reason }),
        ...(typeof id === 'string' && { id }),
        ...(Array.isArray(without) && { without: without.filter((name) => typeof name === 'string') }),
        at: entry.timestamp,
      },
    ]
  })
}

/** Each person's last word that still counts, in the order in which people first voted. */
export function latestVotes<Said extends Vote>(votes: readonly Said[]): Said[] {
  const words = new Map<string, Said>()
  for (const vote of votes) {
    for (const name of vote.without ?? []) words.delete(name)
    words.set(vote.by, vote)
  }
  return [...words.values()]
}

/** Whether a decision permits something. One rejection decides; these need the quorum. */
export function isPermission(decision: string): boolean {
  return decision.startsWith('approve') || decision === 'again' || decision === 'done'
}

/** The answer that the votes give, or `undefined` while people still have to vote. */
export function answerFromVotes(need: ApprovalRequirement, votes: readonly Vote[]): Answer | undefined {
  const words = latestVotes(votes)
  const rejected = words.find(({ decision }) => !isPermission(decision))
  if (rejected !== undefined) {
    const { decision, by, reason } = rejected
    return { decision, by, ...(reason !== undefined && { reason }), votes: words.map(plainVote) }
  }
  for (const { decision } of words) {
    const same = words.filter((word) => word.decision === decision)
    if (same.length < need.quorum) continue
    return { decision, by: same.map(({ by }) => by).join(', '), votes: words.map(plainVote) }
  }
  return undefined
}

/**
 * The entries that record an answer: the answer itself, or for a question that needs several approvals a vote, together with
 * the answer if the vote decides. No entries if the question is answered, or if the person has said the same before.
 * Throws if nobody has checked who votes.
 */
export function answerDrafts(entries: readonly Entry[], name: string, answer: Answer): EventDraft[] {
  if (answerIn(entries, name) !== undefined) return []
  const need = requirementIn(entries, name)
  if (need === undefined) return [answerDraft(name, answer)]
  const vote = voteOf(name, answer)
  const before = votesIn(entries, name)
  const isKnown =
    latestVotes(before).find(({ by }) => by === vote.by)?.decision === vote.decision ||
    (vote.id !== undefined && before.some(({ id }) => id === vote.id))
  const decided = answerFromVotes(need, isKnown ? before : [...before, vote])
  return [
    ...(isKnown ? [] : [voteDraft(name, vote)]),
    ...(decided === undefined ? [] : [answerDraft(name, decided)]),
  ]
}

/** The entry that a crash may have cut off: the votes are recorded and suffice, but not the answer. */
export function missingAnswer(entries: readonly Entry[], name: string): EventDraft[] {
  const need = answerIn(entries, name) === undefined ? requirementIn(entries, name) : undefined
  const decided = need && answerFromVotes(need, votesIn(entries, name))
  return decided === undefined ? [] : [answerDraft(name, decided)]
}

function voteOf(name: string, { decision, by, reason, via, id, without }: Answer): Vote {
  if (by === undefined || via === undefined)
    throw new CadreError(
      'policy',
      `${name} needs approvals from several people, so Cadre must know who answers. Use: cadre approvals`,
    )
  return {
    decision,
    by,
    via,
    ...(reason !== undefined && { reason }),
    ...(id !== undefined && { id }),
    ...(without !== undefined && without.length > 0 && { without }),
  }
}

function voteDraft(name: string, { without, ...vote }: Vote): EventDraft {
  return { role: 'event', type: 'person.voted', name, ...vote, ...(without && { without: [...without] }) }
}

function plainVote({ decision, by, via, reason }: Vote): Vote {
  return { decision, by, via, ...(reason !== undefined && { reason }) }
}

type Fields = { readonly [key: string]: Json }

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
