import { setTimeout as pause } from 'node:timers/promises'
import { openHome } from '@cadre/home'
import { openLedgerStore } from '@cadre/runtime'
import { say } from '@cadre/testing'
import { expect, test } from 'vitest'
import { ingress, newPlace, startScaleWorker } from './support/scale-worker.ts'

test('no tree enters because the worker of the ledger was away for longer than a slot lasts', async () => {
  const place = newPlace()
  const options = { place, agents: [{ name: 'lead' }], lanes: { lead: [say('end')] } }
  const { worker } = await startScaleWorker(options)
  const home = openHome({ home: '/nowhere', cwd: '/', env: {} })
  const { change } = openLedgerStore(home, { kind: 'restate', ingress: ingress(), place })
  // The trees of another place, whose process cannot renew the slot of a during the outage.
  const tree = (root: string) => ({ root, owner: `${root}-1`, limits: { place: 'other', perHome: 1 } })
  const enter = (root: string) => change('trees', { kind: 'enter', ...tree(root) })
  const renew = () => change('trees', { kind: 'renew', owners: ['a-1'], trees: [tree('a')] })
  expect(await enter('a')).toEqual({ kind: 'done' })
  await worker.close()
  await pause(65_000)
  await startScaleWorker({ ...options, port: worker.port })
  expect(await enter('b')).toMatchObject({ kind: 'waits' })
  await renew()
  expect(await enter('b')).toMatchObject({ kind: 'waits' })
  await change('trees', { kind: 'leave', owner: 'a-1' })
  expect(await enter('b')).toEqual({ kind: 'done' })
})
