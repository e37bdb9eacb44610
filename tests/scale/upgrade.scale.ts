import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Tool } from '@cadre/core'
import { loadSdk, placeNames } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import type { ObjectContext } from '@restatedev/restate-sdk'
import { expect, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { hangingLook } from './support/hanging-look.ts'
import { admin, ingress, newPlace, restAfter, startScaleWorker, until } from './support/scale-worker.ts'

const request = { agent: 'lead', work: 'do it', workspace: '/work' }
const agents = [{ name: 'lead' }]
const run = promisify(execFile)
const trees = Array.from({ length: 20 }, (_, n) => `tree-${n}`)

/** The commands of the guide that contain `mark`, for this server and place. */
async function runGuide(mark: string, place: string): Promise<string> {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/many-machines.md'), 'utf8')
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands)
  const settings = blocks.find((commands) => commands.includes('left_behind() {'))
  const commands = blocks.find((one) => one.includes(mark))
  const ours = settings?.replace(/^ADMIN=.*$/m, `ADMIN=${admin()}`).replace(/^PLACE=.*$/m, `PLACE=${place}`)
  return (await run('sh', ['-c', `${ours}\n${commands}`])).stdout
}

test('20 running trees continue with other code on the newest deployment, by the commands of the guide', async () => {
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
  // It waits until the tree rests, so no worker has begun it.
  await old.keeper.resume('tree-0')
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
  // Without the pause, the trees stay with the old worker, which does not come back.
  const ends = new Map<string, unknown>()
  next.keeper.onRest((root, result) => ends.set(root, result))
  for (const id of trees) next.keeper.watch(id)
  await runGuide('/pause', place)
  await old.worker.close()
  const resumed = await runGuide('/resume?deployment=latest', place)
  expect(resumed.match(/^inv_/gm)).toHaveLength(trees.length)
  await until(() => ends.size === trees.length)
  for (const end of ends.values())
    expect(end).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'upgraded' } })
  expect(effects.done).toEqual(trees.map(() => 'note new'))
})

test('a request to the shared budgets that a lost worker had begun moves to the newest deployment, by the commands of the guide', async () => {
  const place = newPlace()
  const sdk = await import('@restatedev/restate-sdk')
  let begun = 0
  const hang = new Promise<void>(() => {})
  const ledger = sdk.object({
    name: `cadre-${place}-ledger`,
    handlers: {
      change: async () => {
        begun += 1
        await hang
      },
    },
  })
  const server = createServer(sdk.createEndpointHandler({ services: [ledger], logger: () => {} }))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const uri = `http://127.0.0.1:${port}`
  expect((await fetch(`${admin()}/deployments`, { ...json, body: JSON.stringify({ uri }) })).ok).toBe(true)
  const change = (body: object) =>
    fetch(`${ingress()}/cadre-${place}-ledger/trees/change`, { ...json, body: JSON.stringify(body) })
  const first = change({ kind: 'leave', owner: 'gone' })
  await until(() => begun === 1)
  await startScaleWorker({ place, agents, lanes: { lead: [] } })
  // It waits behind the first one.
  const second = change({ kind: 'leave', owner: 'other' })
  server.close()
  for (const session of sessions) session.destroy()
  await runGuide('/pause', place)
  await runGuide('/resume?deployment=latest', place)
  expect((await first).ok).toBe(true)
  expect((await second).ok).toBe(true)
})

test('a message that a lost worker was storing reaches its tree by the commands of the guide', async () => {
  const place = newPlace()
  const { messages } = placeNames(place)
  const sdk = await loadSdk()
  let hasBegun = false
  const lost = sdk.object({
    name: messages,
    handlers: {
      // Its first command is the one of the real handler.
      send: sdk.handlers.object.exclusive({ enableLazyState: true }, async (ctx: ObjectContext) => {
        await ctx.get('listener')
        hasBegun = true
        await new Promise(() => {})
      }),
    },
  })
  const server = createServer(sdk.createEndpointHandler({ services: [lost], logger: () => {} }) as never)
  const connections = new Set<ServerHttp2Session>()
  server.on('session', (session) => connections.add(session))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const post = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { port } = server.address() as AddressInfo
  await post(`${admin()}/deployments`, { uri: `http://127.0.0.1:${port}` })
  await post(`${ingress()}/${messages}/tree-1/send/send`, [{ kind: 'start', request }])
  await until(() => hasBegun)
  server.close()
  for (const connection of connections) connection.destroy()
  const { keeper } = await startScaleWorker({ place, agents, lanes: { lead: [say('end')] } })
  const result = await restAfter(keeper, async () => {
    keeper.watch('tree-1')
    await runGuide('/pause', place)
    await runGuide('/resume?deployment=latest', place)
  })
  expect(result).toMatchObject({ report: { status: 'completed', text: 'end' } })
})

test('a worker that drains just after it has given up a tree hands it to the next one', async () => {
  const place = newPlace()
  const lives: { giveUp(): void }[] = []
  const looks = hangingLook()
  const lines = [call(['look', { path: 'a' }]), say('end')]
  const old = await startScaleWorker({
    place,
    agents,
    tools: looks.tools,
    lanes: { lead: lines },
    parts: { onLife: (life) => void lives.push(life) },
  })
  await old.keeper.start({ ...request, id: 'tree-1' })
  await until(() => looks.count() === 1)
  const next = await startScaleWorker({
    place,
    agents,
    tools: countingTools().tools,
    lanes: { lead: lines },
  })
  const result = await restAfter(next.keeper, async () => {
    next.keeper.watch('tree-1')
    // The server repeats the attempt here, because its journal binds it to this address.
    lives[0]?.giveUp()
    await old.worker.drain()
    await old.worker.close()
  })
  expect(result).toMatchObject({ report: { status: 'completed', text: 'end' } })
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
