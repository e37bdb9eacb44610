import type { Engine, LifecycleEvent, Run } from '@cadre/core'
import { createTestTeam, fail, type Line, say } from '@cadre/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { worlds } from './worlds.ts'

/** An engine whose records fail while `isFull`, as on a full disk. */
function onFullDisk(engine: Engine, isFull: (step: string) => boolean): Engine {
  const wrap = (run: Run): Run => ({
    ...run,
    recorded: run.recorded,
    lost: run.lost,
    get alone() {
      return run.alone
    },
    step: (name, work, options) =>
      isFull(name) ? Promise.reject(new Error('the disk is full')) : run.step(name, work, options),
    end: (end) => run.end(end),
    spawn: (spec) => run.spawn(spec),
    waitFor: (question, signal) => run.waitFor(question, signal),
    changes: () => run.changes(),
  })
  return { ...engine, open: async (spec) => wrap(await engine.open(spec)) }
}

describe.each(worlds)('on $name', ({ create }) => {
  async function open(
    isFull: (step: string) => boolean,
    fails: LifecycleEvent['kind'],
    lane: Line[] = [say('fine')],
  ) {
    const world = create()
    onTestFinished(() => world.dispose())
    const engine = onFullDisk(await world.open(), isFull)
    const onLifecycleEvent = (moment: LifecycleEvent) => {
      if (moment.kind === fails) throw new Error('the hook broke')
      return undefined
    }
    const lanes = { lead: lane }
    return createTestTeam({ agents: [{ name: 'lead' }], lanes, engine, clock: world.clock, onLifecycleEvent })
  }

  test('a hook that fails while nothing can be recorded does not leave a failed session open', async () => {
    let isFull = true
    const team = await open((step) => isFull && step.startsWith('notice/'), 'error.occurred', [
      fail('the model is down'),
    ])
    expect(await team.report({ agent: 'lead', plain: false })).toMatchObject({
      status: 'error',
      notices: [{ message: 'the model is down' }, { code: 'corrupt' }],
    })
    isFull = false
    const again = await team.orchestrator.resume('lead-1', {}, new AbortController().signal)
    expect(again).toMatchObject({
      report: {
        status: 'error',
        notices: expect.arrayContaining([{ code: 'backend', message: 'the model is down' }]),
      },
    })
  })

  test('a hook that fails at the end of a session does not change its report', async () => {
    const team = await open(() => false, 'session.ended')
    expect(await team.run({ agent: 'lead' })).toMatchObject({
      report: { status: 'completed', text: 'fine' },
    })
    expect((await team.engine.read('lead-1'))?.outcome).toBe('completed')
    expect(team.events.filter(({ type }) => type === 'session.ended')).toHaveLength(1)
    expect(team.events).toContainEqual(
      expect.objectContaining({ type: 'notice.added', notice: expect.objectContaining({ code: 'attend' }) }),
    )
  })
})
