import type { ModelRequest } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { askFor, failureOf, messagesAfter } from '../ask.spec-helpers.ts'
import { createScriptedModels, scriptedModel } from './create-scripted-models.ts'
import type { Step } from './playbook.ts'

describe('the line of a round', () => {
  it('depends only on the request, in any order and process', async () => {
    const playbook = { lanes: { lead: ['a', 'b', 'c', 'd'].map((reply) => ({ reply })) } }
    const asked = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(asked, async (rounds) => {
        const model = scriptedModel(playbook)
        const replies = rounds.map((round) => askFor(model, { round, messages: messagesAfter(round - 1) }))
        expect((await Promise.all(replies)).map((reply) => reply.content)).toEqual(
          rounds.map((round) => 'abcd'[round - 1]),
        )
      }),
    )
  })

  it('is the same as in the expanded list, however steps are repeated', async () => {
    const step = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
      steps: fc.array(tie('step'), { minLength: 1, maxLength: 3 }),
      step: fc.oneof(
        { depthSize: 'small' },
        fc.record(
          { reply: fc.string(), repeat: fc.integer({ min: 1, max: 4 }) },
          { requiredKeys: ['reply'] },
        ),
        fc.record({ steps: tie('steps'), repeat: fc.integer({ min: 1, max: 3 }) }) as fc.Arbitrary<Step>,
      ),
    })).steps
    const flat = (steps: readonly Step[]): string[] =>
      steps.flatMap((one) => {
        const { steps: inner, reply, repeat = 1 } = one as { steps?: Step[]; reply: string; repeat?: number }
        const once = inner ? flat(inner) : [reply]
        return Array.from({ length: repeat }, () => once).flat()
      })
    await fc.assert(
      fc.asyncProperty(step, async (steps) => {
        const model = scriptedModel({ lanes: { lead: steps } })
        const expected = flat(steps)
        for (const [index, text] of expected.entries())
          expect((await askFor(model, { round: index + 1 })).content).toBe(text || null)
        expect(model.leftovers()).toEqual([])
        expect((await failureOf(model, { round: expected.length + 1 })).message).toContain(
          `has ${expected.length} step`,
        )
      }),
    )
  })

  it('does not search the history', async () => {
    const model = scriptedModel({ lanes: { lead: [{ repeat: 5000, reply: 'round {{round}}: {{last}}' }] } })
    let looks = 0
    const messages = new Proxy(messagesAfter(4999), {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks++
        return Reflect.get(target, key, receiver)
      },
    })
    const reply = await askFor(model, { round: 5000, messages })
    expect(reply.content).toBe('round 5000: result of call_4999_1')
    expect(looks).toBeLessThan(10)
  })

  it('is from the variant that matches the work, for parallel sessions', async () => {
    const model = scriptedModel({
      lanes: {
        worker: {
          sessions: [
            { when: 'part one', steps: [{ reply: 'one' }, { reply: 'one more' }] },
            { when: { work: 'part two' }, steps: [{ reply: 'two' }], default: { reply: 'and on' } },
            { steps: [{ reply: 'any' }] },
          ],
        },
      },
    })
    const of = (work: string, round: number) =>
      askFor(model, { agent: 'worker', round, messages: messagesAfter(round - 1, work) })
    const replies = await Promise.all([
      of('do part two', 1),
      of('do part one', 1),
      of('else', 1),
      of('do part one', 2),
      of('do part two', 7),
    ])
    expect(replies.map((reply) => reply.content)).toEqual(['two', 'one', 'any', 'one more', 'and on'])
  })

  it('fails if no variant matches', async () => {
    const model = scriptedModel({ lanes: { lead: { sessions: [{ when: 'x', steps: [{ reply: 'x' }] }] } } })
    expect((await failureOf(model)).message).toBe(
      'lanes.lead: no variant of lane "lead" matches the session. Its work is: "Do it.".',
    )
  })

  it('can be chosen by the request', async () => {
    const model = scriptedModel({
      lanes: {
        lead: {
          default: {
            choose: [
              { when: { matches: /^result/ }, reply: 'a result' },
              { when: 'Do it', reply: 'the work' },
            ],
          },
        },
      },
    })
    expect(await askFor(model, { round: 9, messages: messagesAfter(8) })).toMatchObject({
      content: 'a result',
    })
    expect(await askFor(model)).toMatchObject({ content: 'the work' })
    expect((await failureOf(model, { messages: [{ role: 'user', content: 'hello' }] })).message).toContain(
      'no alternative matches round 1 of "lead". The last message was: "hello"',
    )
  })

  it('can be a function in code', async () => {
    const model = scriptedModel({
      lanes: { lead: [({ messages }: ModelRequest) => ({ reply: `${messages.length} messages` })] },
    })
    expect(await askFor(model)).toMatchObject({ content: '1 messages' })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
      'round 1 of "lead": the step failed: boom',
    ],
    [
      'returns nonsense',
      () => ({ replay: 'x' }) as never,
      'lanes.lead[0].replay: unknown key "replay" in a step. Did you mean reply?',
    ],
  ])('fails as a value if such a function %s', async (_, step, message) => {
    const model = scriptedModel({ lanes: { lead: [step] } })
    expect((await failureOf(model)).message).toBe(message)
  })

  it('is from the lane * for agents without one', async () => {
    const model = scriptedModel({ lanes: { lead: [], '*': [{ reply: 'I am {{agent}} in {{session}}' }] } })
    expect(await askFor(model, { agent: 'constructor', session: 's-1' })).toMatchObject({
      content: 'I am constructor in s-1',
    })
  })

  it('suggests the nearest lane if there is none', async () => {
    const model = scriptedModel({ lanes: { planner: [{ reply: 'x' }] } })
    expect((await failureOf(model, { agent: 'plannre' })).message).toBe(
      'the playbook: there is no lane for "plannre" (round 1, last message: "Do it."). Did you mean planner?',
    )
  })
})

describe('unused lines', () => {
  it('are those that no session reached; defaults and unused alternatives do not count', async () => {
    const { leftovers, model } = createScriptedModels({
      lanes: {
        lead: {
          steps: [{ reply: 'a', repeat: 3 }, { choose: [{ when: 'never', reply: 'b' }, { reply: 'c' }] }],
          default: { reply: 'd' },
        },
        worker: { sessions: [{ when: 'Do it', steps: [{ reply: 'e' }] }, { steps: [{ reply: 'f' }] }] },
      },
    })
    await askFor(model, { round: 2 })
    await askFor(model, { round: 1 })
    await askFor(model, { agent: 'worker' })
    expect(leftovers()).toEqual([
      { where: 'lanes.lead.steps[0]', agent: 'lead', rounds: { from: 3, to: 3 } },
      { where: 'lanes.lead.steps[1]', agent: 'lead', rounds: { from: 4, to: 4 } },
      { where: 'lanes.worker.sessions[1].steps[0]', agent: 'worker', rounds: { from: 1, to: 1 } },
    ])
    await askFor(model, { round: 4 })
    await askFor(model, { agent: 'worker', messages: [] })
    expect(leftovers()).toEqual([])
  })
})
