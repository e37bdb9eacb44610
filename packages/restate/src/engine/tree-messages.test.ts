import type { Draft, Orchestrator, SessionSpec } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { expect, test } from 'vitest'
import type { Sdk } from '../load-sdk.ts'
import { Archive } from '../log/archive.ts'
import { TreeLog } from '../log/tree-log.ts'
import { RestateEngine } from './restate-engine.ts'
import { TreeMessages } from './tree-messages.ts'

const spec = {
  id: 'worker-1',
  root: 'lead-1',
  created: 'now',
  depth: 1,
  limits: {},
} as unknown as SessionSpec
const name = 'approval/call_1'

test('an answer that a cancel takes back while its session is loaded has no effect', async () => {
  // Nothing listens there.
  const options = { sdk: {} as Sdk, clock: systemClock, ingress: 'http://127.0.0.1:9', place: 'test' }
  const engine = new RestateEngine(options)
  const archive = new Archive(null)
  const log = new TreeLog({ ...engine.logOptions, root: 'lead-1', archive, goLive: () => {} })
  log.add({ t: 'open', spec })
  log.record('worker-1', [{ role: 'event', type: 'person.asked', name, call: 'call_1' } as Draft])
  const load = log.load.bind(log)
  let isLoaded: () => void = () => {}
  const loaded = new Promise<void>((resolve) => {
    isLoaded = resolve
  })
  log.load = async (id) => {
    await loaded
    return load(id)
  }
  const orchestrator = { cancel: () => true } as unknown as Orchestrator
  const messages = new TreeMessages({ log, orchestrator, blobs: engine.blobs, report: () => {} })
  await messages.begin()
  const answer = { kind: 'answer', session: 'worker-1', name, answer: { decision: 'approve' } } as const
  const cancel = { kind: 'cancel', session: 'worker-1', reason: 'not needed' } as const
  for (const [index, message] of [answer, cancel].entries()) {
    log.arrive({ n: index + 1, order: [{ kind: 'message', message }] })
    messages.attend()
  }
  while (log.unheard.has(1)) await new Promise((resolve) => setImmediate(resolve))
  isLoaded()
  await messages.settled()
  expect(log.session('worker-1').entries.map((entry) => 'type' in entry && entry.type)).toEqual([
    'person.asked',
  ])
  expect(messages.toContinue()).toEqual([])
})
