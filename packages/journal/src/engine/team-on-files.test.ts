import { defineTool, object, type Rule, string, type Tool } from '@cadre/core'
import { call, createFakeClock, createTestTeam, say } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { dead, edit, type TestEngine, temporaryHome, testEngine } from './engine.spec-helpers.ts'

const never = new AbortController().signal

/** A lead that delegates to a worker, whose write needs approval. */
function team(engine: TestEngine, written: string[]) {
  const write = defineTool({
    name: 'write',
    description: 'Writes a line down.',
    class: 'edit',
    effect: 'outbound',
    input: object({ text: string('the line') }),
    async run({ text }) {
      written.push(text)
      return { content: 'written' }
    },
  })
  const ask: Rule<string> = {
    by: 'policy',
    name: 'ask',
    judge: ({ tool }) =>
      tool.name === 'write'
        ? { kind: 'ask', by: 'policy', rule: 'ask', reason: 'it is outbound' }
        : undefined,
  }
  const delegation = {
    agentName: 'worker',
    workDescription: 'Write it down.',
    reportExpectations: 'What was written.',
  }
  return createTestTeam({
    engine,
    clock: createFakeClock(),
    tools: [write as Tool],
    rules: [ask],
    agents: [{ name: 'lead', delegates: { kind: 'all' } }, { name: 'worker' }],
    lanes: {
      lead: [call(['delegateWork', delegation]), say('All done.')],
      worker: [
        call(['write', { text: 'hello' }]),
        call(['reportOut', { report: 'It is written.' }]),
        say('unused'),
      ],
    },
  })
}

async function texts(engine: TestEngine, id: string): Promise<string[]> {
  const entries = (await engine.read(id))?.entries ?? []
  return entries.map((entry) => (entry.role === 'event' ? entry.type : entry.role))
}

describe('a team on session files', () => {
  async function startUntilAsked(engine: TestEngine, written: string[]): Promise<string> {
    const result = await team(engine, written).run({ agent: 'lead' })
    expect(result).toMatchObject({ kind: 'waiting' })
    const list = await engine.list()
    expect(list.map(({ status }) => status)).toEqual(['sleeping', 'sleeping'])
    return list.find(({ parent }) => parent !== undefined)?.id ?? ''
  }

  it.each([
    ['was closed', undefined],
    ['was killed', dead],
  ])(
    'sleeps while a person is asked, and goes on in another process after the first %s',
    async (_, identity) => {
      const home = temporaryHome()
      const written: string[] = []
      const first = await testEngine(home, identity && { identity })
      const worker = await startUntilAsked(first, written)
      if (identity === undefined) await first.close()
      const engine = await testEngine(home)
      const asked = (await engine.read(worker))?.entries.find(
        (entry) => entry.role === 'event' && entry.type === 'person.asked',
      )
      await engine.answer(worker, String(asked?.role === 'event' && asked['name']), {
        decision: 'approve',
        by: 'boss',
      })
      expect(written).toEqual([])
      const again = team(engine, written)
      const lead = (await engine.list()).find(({ parent }) => parent === undefined)?.id ?? ''
      const result = await again.orchestrator.resume(lead, {}, never)
      expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'All done.' } })
      expect(written).toEqual(['hello'])
      expect((await engine.list()).map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
      const before = await texts(engine, lead)
      // An ended session returns its report again, and nothing happens.
      expect(await again.orchestrator.resume(lead, {}, never)).toEqual(result)
      expect(await texts(engine, lead)).toEqual(before)
      await engine.close()
    },
  )

  it('applies entries that a person adds while it runs', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const testTeam = createTestTeam({
      engine,
      clock: createFakeClock(),
      agents: [{ name: 'lead' }],
      lanes: {
        lead: [
          () => {
            edit(home, 'lead-1', (text) => `${text}  - role: user\n    content: Stop at once.\n`)
            return call(['nothing', {}])
          },
          ({ messages }) =>
            say(
              `Heard: ${messages.map(({ content }) => content).find((content) => content?.includes('Stop'))}`,
            ),
        ],
      },
    })
    const report = await testTeam.report({ agent: 'lead' })
    expect(report.text).toBe('Heard: Stop at once.')
    await engine.close()
  })
})
