import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createTestHome } from '../home.spec-helpers.ts'
import { createSessionReader, detailOf } from './read-sessions.ts'
import { sessionContext } from './session-item.ts'

test('shows sessions with their state and work, and an unreadable file next to them', async () => {
  const home = createTestHome()
  const result = await home.run([{ reply: 'Done.' }])
  const id = result.kind === 'report' ? result.report.session : expect.fail('it should end')
  const sessions = await home.open()
  writeFileSync(sessions.home.at('sessions', 'broken-1.session.yaml'), 'agent_id: [\n')
  const reader = createSessionReader({ home: sessions.home, open: () => expect.fail('nothing runs') })
  const read = await reader.read()
  expect(read.item(id)).toMatchObject({
    agent: 'assistant',
    state: 'completed',
    work: 'Do it.',
    isRoot: true,
    hasChildren: false,
  })
  expect(read.item('broken-1')).toMatchObject({ state: 'unreadable', fault: expect.any(String) })
  expect(read.forest.roots).toHaveLength(2)
  expect(detailOf(await sessions.read(id))).toMatchObject({ rounds: 1, calls: 0 })
  await sessions.close()
})

test('a session with a question is waiting until it is answered, and one whose process is gone has stopped', async () => {
  const home = createTestHome()
  const result = await home.run([{ calls: [{ tool: 'write_file', input: { path: 'a', content: 'x' } }] }])
  const id = result.kind === 'waiting' ? result.session : expect.fail('it should wait')
  const sessions = await home.open()
  const reader = createSessionReader({ home: sessions.home, open: home.open })
  expect((await reader.read()).item(id)?.state).toBe('waiting')
  const [question] = (await reader.read()).item(id)?.activity?.match(/write_file/) ?? []
  expect(question).toBe('write_file')
  const [record] = await sessions.engine.approvals.list()
  if (record !== undefined)
    await sessions.engine.approvals.decide(
      record,
      { decision: 'reject' },
      sessions.engine.approvals.voters.here('protocol'),
    )
  await sessions.close()
  expect((await reader.read()).item(id)?.state).toBe('answered')
  const file = sessions.fileOf(id)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^status: .*/m, 'status: active'))
  expect((await reader.read()).item(id)?.state).toBe('stopped')
})

test('a waiting session in a live process can be stopped, but not resumed', async () => {
  const home = createTestHome()
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  let leave = () => {}
  const running = home.run(
    [{ calls: [{ tool: 'write_file', input: { path: 'b.txt', content: 'x' } }] }, { reply: 'Done.' }],
    {
      ask: () => {
        asked()
        return new Promise((resolve) => {
          leave = () => resolve(undefined)
        })
      },
    },
  )
  await isAsked
  const sessions = await home.open()
  const reader = createSessionReader({ home: sessions.home, open: home.open })
  const only = async () => {
    const { forest, item } = await reader.read()
    return item(forest.roots[0] ?? '') ?? expect.fail('there is no session')
  }
  expect(await only()).toMatchObject({ state: 'waiting', owner: 'here' })
  expect(sessionContext(await only())).toBe('session running')
  leave()
  await running
  expect(await only()).toMatchObject({ state: 'waiting', owner: undefined })
  expect(sessionContext(await only())).toBe('session resumable')
  await sessions.close()
})

test('reads a thousand sessions, and again only what has changed', async () => {
  const home = createTestHome()
  const result = await home.run([{ reply: 'Done.' }])
  const id = result.kind === 'report' ? result.report.session : expect.fail('it should end')
  const sessions = await home.open()
  const at = (name: string) => sessions.home.at('sessions', `${name}.session.yaml`)
  const text = readFileSync(at(id), 'utf8')
  for (let n = 0; n < 1000; n++) writeFileSync(at(`copy-${n}`), text.replaceAll(id, `copy-${n}`))
  const reader = createSessionReader({ home: sessions.home, open: () => expect.fail('nothing runs') })
  const begun = performance.now()
  expect((await reader.read()).forest.roots).toHaveLength(1001)
  const first = performance.now() - begun
  const before = performance.now()
  copyFileSync(at(id), at('another-1'))
  const { forest } = await reader.read()
  const second = performance.now() - before
  expect(forest.roots).toHaveLength(1002)
  if (process.env['CADRE_SHOW_TIMES']) console.log({ first, second })
  await sessions.close()
})
