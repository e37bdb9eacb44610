import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../ports/engine.ts'
import type { Draft, Entry } from '../ports/entry.ts'
import type { Json } from '../ports/json.ts'
import { answerIn } from './questions.ts'
import {
  answerDrafts,
  isPermission,
  isStricterRequirement,
  latestVotes,
  missingAnswer,
  requirementOf,
  votesIn,
} from './recorded-votes.ts'

const name = 'approval/c1'

/** A record in which a question waits for approvals. */
function asked(approvals: Json): Entry[] {
  return numbered([{ role: 'event', type: 'person.asked', name, detail: { approvals } }])
}

function numbered(drafts: readonly Draft[], after: readonly Entry[] = []): Entry[] {
  return drafts.map((draft, index) => ({
    ...draft,
    seq: after.length + index + 1,
    timestamp: '2026-01-01T00:00:00.000Z',
  }))
}

function vote(entries: Entry[], answer: Answer): Answer | undefined {
  entries.push(...numbered(answerDrafts(entries, name, answer), entries))
  return answerIn(entries, name)
}

const by = (person: string, decision = 'approve'): Answer => ({ decision, by: person, via: 'page' })

describe('votes', () => {
  it('of one person count once, and the last word applies', () => {
    const entries = asked({ quorum: 2, roles: ['approver'], notByStarter: false })
    expect(vote(entries, by('ann'))).toBeUndefined()
    expect(vote(entries, { ...by('ann'), via: 'slack' })).toBeUndefined()
    expect(votesIn(entries, name)).toHaveLength(1)
    expect(vote(entries, by('ann', 'reject'))).toMatchObject({ decision: 'reject', by: 'ann' })
    expect(vote(entries, by('bob'))).toMatchObject({ decision: 'reject', by: 'ann' })
    expect(votesIn(entries, name)).toHaveLength(2)
  })

  it('that are delivered twice are recorded once', () => {
    const entries = asked({ quorum: 2, roles: [], notByStarter: false })
    vote(entries, { ...by('ann', 'again'), id: '1' })
    vote(entries, { ...by('ann', 'done'), id: '2' })
    vote(entries, { ...by('ann', 'again'), id: '1' })
    expect(latestVotes(votesIn(entries, name)).map(({ decision }) => decision)).toEqual(['done'])
  })

  it('of a person who changes their mind twice are still one vote', () => {
    const entries = asked({ quorum: 2, roles: [], notByStarter: false })
    for (const decision of ['again', 'done', 'again'])
      expect(vote(entries, by('ann', decision))).toBeUndefined()
    expect(vote(entries, by('bob', 'done'))).toBeUndefined()
    expect(vote(entries, by('carol', 'again'))).toMatchObject({ decision: 'again', by: 'ann, carol' })
  })

  it('of people who no longer count are left out from then on, also after a crash', () => {
    const entries = asked({ quorum: 2, roles: [], notByStarter: false })
    vote(entries, by('ann'))
    expect(vote(entries, { ...by('bob'), without: ['ann'] })).toBeUndefined()
    expect(latestVotes(votesIn(entries, name)).map(({ by: person }) => person)).toEqual(['bob'])
    expect(missingAnswer(entries, name)).toEqual([])
    // She has the role again, and says the same again.
    expect(vote(entries, by('ann'))).toMatchObject({ decision: 'approve', by: 'bob, ann' })
    expect(missingAnswer(entries.slice(0, -1), name)).toMatchObject([{ by: 'bob, ann' }])
  })

  it('must name a person', () => {
    const entries = asked({ quorum: 1, roles: [], notByStarter: false })
    expect(() => vote(entries, { decision: 'approve' })).toThrow('must know who answers')
    expect(() => vote(entries, { decision: 'approve', by: 'ann' })).toThrow('must know who answers')
  })

  it('suffice without the answer that a crash cut off', () => {
    const entries = asked({ quorum: 2, roles: [], notByStarter: false })
    vote(entries, by('ann'))
    expect(missingAnswer(entries, name)).toEqual([])
    vote(entries, by('bob'))
    const cut = entries.slice(0, -1)
    expect(missingAnswer(cut, name)).toMatchObject([{ type: 'person.answered', by: 'ann, bob' }])
    expect(vote(cut, by('bob'))).toMatchObject({ decision: 'approve', by: 'ann, bob' })
  })

  it('never decide with fewer people than the quorum, in any order and with any repetition', () => {
    const people = fc.constantFrom('ann', 'bob', 'carol', 'dave')
    const decisions = fc.constantFrom('approve', 'reject', 'approve', 'approve')
    const votes = fc.array(
      fc.record({ by: people, decision: decisions, via: fc.constantFrom('page', 'file') }),
    )
    fc.assert(
      fc.property(votes, fc.integer({ min: 1, max: 4 }), (cast, quorum) => {
        const entries = asked({ quorum, roles: [], notByStarter: false })
        for (const one of cast) vote(entries, one as Answer)
        const answers = entries.filter((entry) => entry.role === 'event' && entry.type === 'person.answered')
        expect(answers.length).toBeLessThanOrEqual(1)
        const answer = answerIn(entries, name)
        const words = latestVotes(votesIn(entries, name))
        const approving = words.filter(({ decision }) => isPermission(decision)).length
        if (answer === undefined) expect(approving).toBeLessThan(quorum)
        else if (isPermission(answer.decision)) expect(approving).toBeGreaterThanOrEqual(quorum)
        else expect(words.some(({ decision }) => decision === 'reject')).toBe(true)
      }),
    )
  })
})

describe('a need', () => {
  it.each<[Json]>([
    [null],
    ['2'],
    [{}],
    [{ quorum: 0, roles: ['a'] }],
    [{ quorum: 1.5, roles: ['a'] }],
    [{ quorum: 1 }],
  ])('that is damaged is met by nobody: %j', (approvals) => {
    expect(requirementOf({ approvals })).toEqual({ quorum: 9, roles: [], notByStarter: true })
  })

  it('is absent without the key', () => {
    expect(requirementOf({})).toBeUndefined()
    expect(requirementOf(undefined)).toBeUndefined()
  })

  it('is stricter with more people, fewer roles, or without the starter', () => {
    const need = { quorum: 2, roles: ['approver', 'admin'], notByStarter: false }
    expect(isStricterRequirement(undefined, need)).toBe(false)
    expect(isStricterRequirement(need, need)).toBe(false)
    expect(isStricterRequirement({ ...need, quorum: 1 }, need)).toBe(false)
    expect(isStricterRequirement(need, undefined)).toBe(true)
    expect(isStricterRequirement({ ...need, quorum: 3 }, need)).toBe(true)
    expect(isStricterRequirement({ ...need, roles: ['admin'] }, need)).toBe(true)
    expect(isStricterRequirement({ ...need, notByStarter: true }, need)).toBe(true)
  })
})
