import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { amount } from '../support/amount.ts'
import { chatterAgents, chatterLanes, checkChatter } from './chatter.ts'
import { createTeamWorld } from './team-world.ts'
import { crashAt } from './worlds.ts'

const never = () => new AbortController().signal
const seed = Number(process.env['CADRE_SEED'] ?? 20_261_116)

/** Numbers from 0 to 1, the same for a seed. */
function random(from: number): () => number {
  let state = from >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test('each message of a team is delivered once and in order, whenever its process dies', async () => {
  const world = createTeamWorld()
  const each = amount({ usual: 12, deep: 60 })
  const deaths = amount({ usual: 6, deep: 60 })
  const options = { agents: chatterAgents, lanes: chatterLanes(each), maxMessages: 100_000 }
  const next = random(seed)
  let root: string | undefined
  let died = 0
  for (let life = 0; life < deaths; life++) {
    const at = 10 + Math.floor(next() * 120)
    let death: ReturnType<typeof crashAt>['death'] | undefined
    let isDead = false
    const team = await world.open({
      ...options,
      wrap(engine) {
        const wrapped = crashAt(engine, at)
        death = wrapped.death
        return wrapped.engine
      },
      // A dead process does nothing.
      before: () => (isDead ? new Promise(() => {}) : Promise.resolve()),
    })
    const run = root === undefined ? team.run({ agent: 'lead' }) : team.orchestrator.resume(root, {}, never())
    const end = await Promise.race([run, death?.died])
    isDead = true
    root ??= (await world.sessions()).find(({ spec }) => spec.parent === undefined)?.spec.id
    if (end !== undefined) break
    died += 1
  }
  const last = await world.open(options)
  const result =
    root === undefined ? await last.run({ agent: 'lead' }) : await last.orchestrator.resume(root, {}, never())
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'that was all' } })
  const { messages, faults } = checkChatter(await world.sessions())
  expect(faults).toEqual([])
  expect(messages).toBeGreaterThanOrEqual(5 * each)
  expect(died, `seed ${seed}`).toBeGreaterThan(deaths / 2)
})

test('a team is created once, wherever the process of its lead dies', async () => {
  for (let at = 1; at <= 10; at++) {
    const world = createTeamWorld()
    const members = [{ name: 'alice', agentType: 'worker', initialPrompt: 'begin' }]
    const options = {
      agents: [{ name: 'lead' }, { name: 'worker' }],
      lanes: {
        lead: [call(['create_team', { name: 't', members }]), say('waiting'), say('end')],
        worker: [say('done')],
      },
    }
    let died: Promise<void> | undefined
    const first = await world.open({
      ...options,
      wrap(engine) {
        const wrapped = crashAt(engine, at)
        died = wrapped.death.died
        return wrapped.engine
      },
    })
    await Promise.race([first.run({ agent: 'lead' }), died])
    const last = await world.open(options)
    const [lead] = (await world.sessions()).filter(({ spec }) => spec.parent === undefined)
    const result = lead
      ? await last.orchestrator.resume(lead.spec.id, {}, never())
      : await last.run({ agent: 'lead' })
    expect(result, `died at ${at}`).toMatchObject({ report: { text: 'end', sessions: 2 } })
    expect(world.config('t').members).toHaveLength(1)
  }
})
