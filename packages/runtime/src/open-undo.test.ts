import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { thisProcess } from '@cadre/disk'
import { Leases, runningProcess } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { createRuntime } from './create-runtime.ts'
import { openUndo } from './open-undo.ts'

test('undoes a turn as soon as its run has returned', async () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-undo-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = { tool: 'write_file', input: { path: 'a.txt', content: 'two\n' } }
  writeFileSync(
    path.join(folder, 'p.yaml'),
    JSON.stringify({ lanes: { assistant: { steps: [{ calls: [write] }], default: { reply: 'Done.' } } } }),
  )
  writeFileSync(path.join(folder, 'a.txt'), 'one\n')
  const env = { PATH: process.env['PATH'], HOME: folder, CADRE_TRUST: '1' }
  const runtime = await createRuntime({
    model: 'scripted:p.yaml',
    allow: ['write'],
    environment: { cwd: folder, env },
  })
  const result = await runtime.run('Change it.')
  const session = result.kind === 'report' ? result.report.session : ''
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('two\n')
  await runtime.engine.released()
  // As on a busy machine: the run keeps its lease until its files are synced.
  const leases = new Leases(runtime.home, thisProcess())
  leases.acquire(session)
  expect(runningProcess(runtime.home, session)).toBeDefined()
  const engine = { ...runtime.engine, released: async () => leases.close() }
  const { checkpoints } = runtime
  const undo = openUndo(runtime.home, { env, tell: () => {}, runtime: { checkpoints, engine } })
  const planned = await undo.plan({ direction: 'undo', workspace: folder, session })
  expect(runningProcess(runtime.home, session)).toBeUndefined()
  expect(await undo.apply(planned.kind === 'plan' ? planned.plan : expect.fail())).toMatchObject({
    kind: 'applied',
  })
  expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('one\n')
  await runtime.close()
})
