import { applyToView, callOf, defineTool, emptyView, object, type Tool } from '@cadre/core'
import { call, createFakeClock, createMemoryEngine, createTestTeam, say } from '@cadre/testing'
import { expect, test } from 'vitest'

test('a call shows its progress while it runs, at most five times a second, and records nothing', async () => {
  const clock = createFakeClock()
  let late: ((text: string) => void) | undefined
  const slow = defineTool({
    name: 'slow',
    description: 'Reports progress',
    class: 'read',
    effect: 'read',
    input: object({}),
    async run(_input, { progress }) {
      late = progress
      for (let step = 1; step <= 10; step++) {
        for (let times = 0; times < 1_000; times++) progress?.(`step ${step}.${times}`)
        clock.advance(100)
      }
      return { content: 'finished' }
    },
  }) as Tool
  const view = emptyView()
  const shown: (string | undefined)[] = []
  const engine = createMemoryEngine({ clock })
  const lanes = { lead: [call(['slow', {}]), say('Done.')] }
  const team = createTestTeam({ agents: [{ name: 'lead' }], lanes, tools: [slow], clock, engine })
  const report = await team.report({ agent: 'lead' })
  for (const event of team.events) {
    applyToView(view, event)
    if (event.type === 'call.progressed') shown.push(callOf(view, event.session, event.call)?.progress)
  }
  late?.('too late')
  expect(report).toMatchObject({ status: 'completed' })
  expect(shown).toEqual(['step 1.0', 'step 3.0', 'step 5.0', 'step 7.0', 'step 9.0'])
  expect(team.events.filter(({ type }) => type === 'call.progressed')).toHaveLength(5)
  const [session] = view.sessions.values()
  expect(session?.rounds[0]?.toolCalls).toMatchObject([{ status: 'done', content: 'finished' }])
  expect(session?.rounds[0]?.toolCalls[0]).not.toHaveProperty('progress')
  expect(JSON.stringify((await engine.read(session?.id ?? ''))?.entries)).not.toContain('step')
})
