import { createServer, request } from 'node:http'
import { createRestateKeeper } from '@cadre/restate'
import { call, say } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { countingTools } from '../engine/tools.ts'
import { askForLaunch } from './support/ask-for-launch.ts'
import { ingress, newPlace, restAfter, startScaleWorker } from './support/scale-worker.ts'

const work = [
  'delegateWork',
  { agentName: 'worker', workDescription: 'x', reportExpectations: 'all' },
] as const

test('a question of a child is answered although the directory does not know the child yet', async () => {
  const effects = countingTools()
  const place = newPlace()
  const { keeper } = await startScaleWorker({
    place,
    agents: [{ name: 'lead' }, { name: 'worker' }],
    tools: effects.tools,
    rules: [askForLaunch],
    lanes: {
      lead: [call(work), say('all done')],
      worker: [call(['launch', { what: 'rocket' }]), call(['reportOut', { report: 'built' }])],
    },
  })
  const request = { id: 'tree-1', agent: 'lead', work: 'do it', workspace: '/work' }
  const first = await restAfter(keeper, () => keeper.start(request))
  if (first.kind !== 'waiting') throw new Error(JSON.stringify(first))
  const [question] = first.questions

  const late = createRestateKeeper({ ingress: await startServerWithLateDirectory(), place })
  onTestFinished(() => late.close())
  expect(await late.rootOf(question!.session)).toBeUndefined()
  expect(await late.state('tree-1')).toMatchObject({ kind: 'rested' })
  const last = await restAfter(late, () => late.answer(question!, { decision: 'approve', by: 'anna' }))
  expect(last).toMatchObject({ kind: 'report', report: { status: 'completed' } })
  expect(effects.done).toEqual(['launch rocket'])
})

/** Passes requests on to the server, but its directory knows no child. Returns its address. */
async function startServerWithLateDirectory(): Promise<string> {
  const server = createServer((incoming, answer) => {
    const { method, url = '', headers } = incoming
    if (url.endsWith('/rootOf')) {
      answer.end('null')
      return
    }
    const passed = request(ingress() + url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('unreachable: the server has no port')
  return `http://127.0.0.1:${address.port}`
}
