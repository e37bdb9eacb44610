import type { Tool } from '@cadre/core'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { admin, newPlace, restAfter, startScaleWorker, until } from './support/scale-worker.ts'

const request = { agent: 'lead', work: 'do it', workspace: '/work' }
const agents = [{ name: 'lead' }]
const trees = Array.from({ length: 5 }, (_, n) => `tree-${n}`)

async function invocationsOf(place: string): Promise<string[]> {
  const query = `select id from sys_invocation where target_service_name = 'cadre-${place}' and target_handler_name = 'run' and status <> 'completed'`
  const response = await fetch(`${admin()}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  })
  return ((await response.json()) as { rows: { id: string }[] }).rows.map(({ id }) => id)
}

const change = async (id: string, verb: string) =>
  (await fetch(`${admin()}/invocations/${id}/${verb}`, { method: 'PATCH' })).status

/** A read that never ends: another process runs it again. */
function hangingLook(): { tools: readonly Tool[]; count: () => number } {
  let count = 0
  const tools = countingTools().tools.map(
    (tool): Tool =>
      tool.name === 'look'
        ? {
            ...tool,
            run: (_input, _context, signal) => {
              count += 1
              return new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true })
              })
            },
          }
        : tool,
  )
  return { tools, count: () => count }
}

test('running trees continue with other code on the newest deployment, after a pause', async () => {
  const place = newPlace()
  const looks = hangingLook()
  const old = await startScaleWorker({
    place,
    agents,
    tools: looks.tools,
    lanes: { lead: [call(['note', { text: 'old' }]), call(['look', { path: 'a' }])] },
  })
  for (const id of trees) await old.keeper.start({ ...request, id })
  await until(() => looks.count() === trees.length)
  const effects = countingTools()
  const next = await startScaleWorker({
    place,
    agents,
    tools: effects.tools,
    lanes: {
      lead: [
        call(['note', { text: 'old' }]),
        call(['look', { path: 'a' }]),
        call(['note', { text: 'new' }]),
        say('upgraded'),
      ],
    },
  })
  const invocations = await invocationsOf(place)
  expect(invocations).toHaveLength(trees.length)
  for (const id of invocations) expect(await change(id, 'pause')).toBe(202)
  // A paused invocation is not retried when its worker ends.
  await old.worker.close()
  const ends = new Map<string, unknown>()
  next.keeper.onRest((root, result) => ends.set(root, result))
  for (const id of trees) next.keeper.watch(id)
  for (const id of invocations) await until(async () => (await change(id, 'resume?deployment=latest')) < 300)
  await until(() => ends.size === trees.length)
  for (const end of ends.values())
    expect(end).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'upgraded' } })
  expect(effects.done).toEqual(trees.map(() => 'note new'))
})

test('a drained worker hands its trees to the next one when their calls have ended, and none is in doubt', async () => {
  const place = newPlace()
  let release: () => void = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  let launching = 0
  const [, launch] = countingTools().tools as [Tool, Tool]
  const slow: Tool = {
    ...launch,
    run: async () => {
      launching += 1
      await isReleased
      return { content: 'launched' }
    },
  }
  const lines = [call(['launch', { what: 'rocket' }]), say('end')]
  const old = await startScaleWorker({ place, agents, tools: [slow], lanes: { lead: lines } })
  for (const id of trees) await old.keeper.start({ ...request, id })
  await until(() => launching === trees.length)
  const next = await startScaleWorker({ place, agents, tools: [slow], lanes: { lead: lines } })
  const drained = old.worker.drain()
  const ends = new Map<string, unknown>()
  next.keeper.onRest((root, result) => ends.set(root, result))
  for (const id of trees) next.keeper.watch(id)
  release()
  await drained
  await until(() => ends.size === trees.length)
  for (const end of ends.values()) expect(end).toMatchObject({ report: { status: 'completed', text: 'end' } })
  expect(launching).toBe(trees.length)
  expect(next.team.models.requests).toHaveLength(trees.length)
})

test('a tree that waits for a person continues on a worker with other code', async () => {
  const place = newPlace()
  const ask = {
    by: 'policy',
    name: 'asks',
    immediate: true,
    judge: () => ({ kind: 'ask', by: 'policy', rule: 'asks', reason: 'x' }),
  } as never
  const { tools } = countingTools()
  const lines = [call(['launch', { what: 'rocket' }]), say('end')]
  const old = await startScaleWorker({ place, agents, tools, rules: [ask], lanes: { lead: lines } })
  const waiting = await restAfter(old.keeper, () => old.keeper.start({ ...request, id: 'tree-1' }))
  if (waiting.kind !== 'waiting') throw new Error(JSON.stringify(waiting))
  await old.worker.close()
  const next = await startScaleWorker({
    place,
    agents,
    tools,
    rules: [ask],
    lanes: { lead: [lines[0] as never, say('new')] },
  })
  const [question] = waiting.questions
  const result = await restAfter(next.keeper, () =>
    next.keeper.answer(question as never, { decision: 'approve', by: 'anna' }),
  )
  expect(result).toMatchObject({ report: { status: 'completed', text: 'new' } })
})
