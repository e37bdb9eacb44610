import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Engine, Orchestrator, RunResult, StartRequest } from '@cadre/core'
import { expect, test } from 'vitest'
import { createWorkspaces } from '../create-workspaces.ts'
import { callOf } from '../workspaces.spec-helpers.ts'
import { createTestRepository, gitIn, never, type TestRepository } from './checkouts.spec-helpers.ts'
import { withCheckouts } from './use-checkouts.ts'

const isWhole = (process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL']) !== undefined

/** `npm test` skips them: each starts many processes of git. */
const inDeep = test.runIf(isWhole)

const root = 'lead-1'
const top = `/cadre/checkouts/${root}`

/** Starts and resumes a session in a workspace. `started` has the folders in which a session has run. */
function openTree(repository: TestRepository, workspace: string, more: Partial<StartRequest> = {}) {
  const worker = repository.worker('same')
  const started: string[] = []
  const ran = (folder: string): Promise<RunResult> => {
    started.push(folder)
    return Promise.resolve({ kind: 'waiting' } as unknown as RunResult)
  }
  const orchestrator = {
    start: (request: StartRequest) => ran(request.workspace),
    resume: () => ran(workspace),
  } as unknown as Orchestrator
  const engine = { read: async () => ({ spec: { id: root, root, workspace } }) } as unknown as Engine
  const placed = withCheckouts(orchestrator, worker.checkouts, engine)
  return {
    worker,
    started,
    start: () => {
      worker.life(root)
      return placed.start({ id: root, agent: 'lead', work: 'x', workspace, ...more }, never)
    },
    resume: () => {
      worker.life(root)
      return placed.resume(root, {}, never)
    },
  }
}

function createLinked(target: (folder: string) => string): TestRepository {
  const repository = createTestRepository({ 'sub/a.txt': 'a\n' })
  const outside = path.join(repository.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'secret.txt'), 'secret')
  const seed = path.join(repository.folder, 'seed')
  symlinkSync(target(outside), path.join(seed, 'docs'))
  gitIn(seed, 'add', '-A')
  gitIn(seed, 'commit', '-qm', 'second')
  gitIn(seed, 'push', '-q', repository.bare, 'main')
  return repository
}

const links: [string, (outside: string) => string][] = [
  ['outside the checkout', (outside) => outside],
  ['to a folder above', () => '../../../..'],
  ['to the checkout of another tree', () => '../lead-2'],
  ["to git's own files", () => '.git/hooks'],
]

test.each(isWhole ? links : links.slice(0, 1))(
  'a session does not work in a link that points %s',
  async (_, target) => {
    const repository = createLinked(target)
    const tree = openTree(repository, `${top}/docs`)
    const { folder } = await tree.worker.take(root)
    mkdirSync(path.join(folder, '.git', 'hooks'), { recursive: true })
    mkdirSync(path.join(folder, '..', 'lead-2'))
    for (const run of [tree.start, tree.resume])
      await expect(run()).rejects.toThrow(
        'a session cannot work in docs, because a link there points outside',
      )
    expect(tree.started).toEqual([])
  },
)

test('a session does not continue in a folder that has become a link', async () => {
  const repository = createTestRepository({ 'sub/a.txt': 'a\n' })
  const tree = openTree(repository, `${top}/sub`)
  await tree.start()
  const folder = tree.started[0] as string
  rmSync(folder, { recursive: true })
  symlinkSync('/', folder)
  await expect(tree.resume()).rejects.toThrow('a link there points outside the checkout')
  expect(tree.started).toHaveLength(1)
})

inDeep('a session may work in a link to a folder of its checkout', async () => {
  const tree = openTree(
    createLinked(() => 'sub'),
    `${top}/docs`,
  )
  await tree.start()
  await tree.resume()
  expect(tree.started).toHaveLength(2)
})

test('an order can name only a folder of its own checkout', async () => {
  const repository = createTestRepository({ 'sub/a.txt': 'a\n' })
  for (const [workspace, message] of [
    ['/cadre/checkouts/../../../..', 'it is not a folder in its checkout'],
    [`${top}/../lead-2`, 'it is not a folder in its checkout'],
    [`${top}/sub/..`, 'it is not a folder in its checkout'],
    ['/cadre/checkouts/lead-2', 'it is not a folder in its checkout'],
    [`${top}/.git`, 'it belongs to .git'],
    [`${top}/missing`, 'has no folder missing'],
    [`${top}/sub/a.txt`, 'has no folder sub/a.txt'],
  ] as const) {
    const tree = openTree(repository, workspace)
    for (const run of [tree.start, tree.resume]) await expect(run()).rejects.toThrow(message)
    expect(tree.started).toEqual([])
  }
})

test('an order cannot name another folder for the changes', async () => {
  const isolation = { kind: 'own', session: root, base: '/etc' } as const
  const tree = openTree(createTestRepository(), top, { isolation })
  await expect(tree.start()).rejects.toThrow('lead-1 cannot work in /etc')
})

inDeep('an isolated session does not continue in a link', async () => {
  const repository = createTestRepository({ 'sub/a.txt': 'a\n' })
  const worker = repository.worker()
  const { folder } = await worker.take(root)
  const workspaces = createWorkspaces({ home: worker.home })
  const base = path.join(folder, 'sub')
  const prepared = await workspaces.prepare({ session: 'child-1', root, agent: 'child', base }, never)
  if (prepared.kind !== 'ready') throw new Error(prepared.reason)
  const isolation = { kind: 'own', session: 'child-1', base }
  const spec = { id: 'child-1', root, agent: { name: 'child' }, workspace: prepared.path, isolation } as never
  rmSync(prepared.path, { recursive: true })
  symlinkSync('/', prepared.path)
  await workspaces.commitCall(spec, callOf('call_1', []), never)
  const reopened = () => workspaces.reopen(spec, [], never)
  await expect(reopened()).rejects.toThrow('a link there points outside its workspace')
  // Another worker restores it from its commits.
  rmSync(workspaces.find('child-1').top, { recursive: true })
  await expect(reopened()).rejects.toThrow('a link there points outside its workspace')
})
