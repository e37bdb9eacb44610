import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createWorkspaces } from '@cadre/workspaces'
import { expect, it } from 'vitest'
import { callOf, gitIn, neverAborted } from '../../../../workspaces/src/workspaces.spec-helpers.ts'
import { writeSession } from '../page.spec-helpers.ts'
import { hostileNames, startTestServer } from './routes.spec-helpers.ts'

/** Starts many git processes: `npm run test:deep` runs it. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

inDeep('lists workspaces, shows changes and conflicts, undoes a call, merges and cleans up', async () => {
  const { client, home, workspace, ask, daemon } = await startTestServer()
  writeFileSync(path.join(workspace, 'a.txt'), 'one\n')
  gitIn(workspace, 'init', '-q', '-b', 'main', '--template=')
  gitIn(workspace, 'add', '-A')
  gitIn(workspace, 'commit', '-q', '-m', 'first')
  const keeper = createWorkspaces({ home })
  for (const session of ['s-1', 's-2']) {
    const request = { session, root: session, agent: 'builder', base: workspace }
    const prepared = await keeper.prepare(request, neverAborted)
    if (prepared.kind !== 'ready') throw new Error(prepared.reason)
    const isolation = { kind: 'own' as const, session, base: workspace }
    const ended = { role: 'event' as const, type: 'session.ended', report: { status: 'completed', text: '' } }
    writeSession(home, session, [{ role: 'user', content: 'Go.' }, ended], {
      workspace: prepared.path,
      isolation,
    })
    const file = home.at('sessions', `${session}.session.yaml`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^status: \w+ */m, 'status: completed '))
    const spec = {
      id: session,
      root: session,
      agent: { name: 'builder' },
      workspace: prepared.path,
      isolation,
    }
    const change = async (call: string, name: string, text: string) => {
      mkdirSync(path.dirname(path.join(prepared.path, name)), { recursive: true })
      writeFileSync(path.join(prepared.path, name), text)
      await keeper.commitCall(spec as never, callOf(call, [name]), neverAborted)
    }
    await change('c1', 'a.txt', `${session}\n`)
    await change('c2', `${session}/new.txt`, 'new\n')
  }
  const { items } = await client.listWorkspaces()
  expect(items).toMatchObject([
    { session: 's-1', state: 'open', life: 'ended', commits: 2, files: ['a.txt', 's-1/new.txt'] },
    { session: 's-2', state: 'open' },
  ])
  const params = { id: 's-1' }
  expect((await client.getWorkspaceDiff({ params })).patch).toContain('+s-1')
  const ofCall = await client.getWorkspaceDiff({ params, query: { call: 'c2' } })
  expect([ofCall.patch.includes('new.txt'), ofCall.patch.includes('a.txt')]).toEqual([true, false])
  await expect(client.getWorkspaceDiff({ params, query: { call: 'none' } })).rejects.toMatchObject({
    status: 404,
  })
  expect(await client.getForecast({ params })).toMatchObject({
    session: 's-1',
    with: [{ session: 's-2', files: ['a.txt'], conflicts: ['a.txt'] }],
  })
  const { steps } = await keeper.diff('s-1')
  const commit = steps.find(({ call }) => call === 'c2')?.commit.slice(0, 10) ?? ''
  expect(await client.rollBackWorkspace({ params, body: { commit } })).toMatchObject({ result: 'undone' })
  expect(await client.mergeWorkspace({ params })).toMatchObject({ result: 'merged', files: ['a.txt'] })
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('s-1\n')
  expect(await client.mergeWorkspace({ params: { id: 's-2' } })).toMatchObject({ result: 'conflicts' })
  expect(await client.cleanWorkspace({ params })).toEqual({ removed: ['s-1'], kept: [] })
  expect(await client.cleanWorkspace({ params: { id: 's-2' } })).toMatchObject({ removed: [] })
  expect(existsSync(keeper.find('s-2').path)).toBe(true)
  expect(daemon.happenings.filter(({ type }) => type === 'workspace.changed')).toHaveLength(3)
  // The first characters of an id are not enough.
  expect((await ask('/api/workspaces/s-/diff')).status).toBe(404)
})

it('returns an empty list if the home has no workspaces, and accepts only complete session ids', async () => {
  const { client, ask } = await startTestServer()
  expect((await client.listWorkspaces()).items).toEqual([])
  for (const name of ['s-', ...hostileNames])
    for (const action of ['diff', 'forecast']) {
      const { status } = await ask(`/api/workspaces/${name}/${action}`)
      expect([name, [400, 404].includes(status)]).toEqual([name, true])
    }
})
