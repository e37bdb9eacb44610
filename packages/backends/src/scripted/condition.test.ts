import { describe, expect, it } from 'vitest'
import { askFor, failureOf, messagesAfter } from '../ask.spec-helpers.ts'
import { scriptedModel } from './create-scripted-models.ts'

describe('an expectation', () => {
  const offers = [{ name: 'read_file', description: '', parameters: {} }]
  it.each([
    [{ last: 'nothing' }, 'the last message to contain "nothing"'],
    [{ last: ['result of', 'nothing'] }, 'the last message to contain "nothing"'],
    [{ work: 'result of' }, 'the work to contain "result of"'],
    [{ system: 'You follow' }, 'the system prompt to contain "You follow"'],
    [{ history: 'nothing' }, 'a message that contains "nothing"'],
    [{ not: ['fine', 'call_1'] }, 'the last message without "call_1"'],
    [{ matches: '/^RESULT of$/i' }, 'the last message to match /^RESULT of$/i'],
    [{ tools: ['read_file', 'write_file'] }, 'the tool "write_file" to be offered'],
    [{ withoutTools: 'read_file' }, 'the tool "read_file" not to be offered'],
    ['nothing', '"nothing" in the last message or in the work'],
  ])('that is not met is reported: %j', async (expected, wrong) => {
    const model = scriptedModel({ lanes: { lead: [{ reply: 'x', expect: expected }] } })
    const { message } = await failureOf(model, { messages: messagesAfter(1), tools: offers })
    expect(message).toBe(
      `lanes.lead[0]: round 1 of "lead" expected ${wrong}. The last message was: "result of call_1_1".`,
    )
  })

  it.each([
    [
      {
        last: 'call_1',
        work: 'Do',
        system: 'lead',
        history: ['Do it', 'result'],
        not: 'x',
        matches: 'call_\\d',
        tools: 'read_file',
        withoutTools: ['run'],
      },
    ],
    [{ matches: /RESULT/gi }],
    ['Do it'],
    ['call_1'],
  ])('that is met accepts the reply, each time: %j', async (expected) => {
    const model = scriptedModel({ lanes: { lead: [{ reply: 'x', expect: expected }] } })
    for (let time = 0; time < 3; time++) await askFor(model, { messages: messagesAfter(1), tools: offers })
  })

  it('shows the request, but only a short part of it', async () => {
    const model = scriptedModel({ lanes: { lead: [{ reply: 'x', expect: 'y' }] } })
    const { message } = await failureOf(model, { messages: [{ role: 'user', content: 'z'.repeat(100_000) }] })
    expect(message.length).toBeLessThan(500)
  })
})
