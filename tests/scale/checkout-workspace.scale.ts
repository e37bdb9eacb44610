import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { openEngineProject } from './support/engine-project.ts'

const id = 'planner-1'
const secret = 'the secret of the worker'

function git(folder: string, ...args: string[]): string {
  const own = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' })
}

/** Anyone who can push to the default branch can put a link there, and anyone who can reach the server can send an order. */
test.each([
  ['a link in the repository', `/cadre/checkouts/${id}/docs`, 'a link there points outside the checkout'],
  ['an order', '/cadre/checkouts/../../../..', 'it is not a folder in its checkout'],
])('%s does not move the workspace of a session out of its checkout', async (_, workspace, message) => {
  const shared = createProject()
  const outside = path.join(shared.path, 'private')
  mkdirSync(outside)
  writeFileSync(path.join(outside, 'private.txt'), secret)
  const bare = path.join(shared.path, 'project.git')
  const seed = path.join(shared.path, 'seed')
  git(shared.path, 'init', '-q', '--bare', '-b', 'main', bare)
  git(shared.path, 'init', '-q', '-b', 'main', seed)
  symlinkSync(outside, path.join(seed, 'docs'))
  git(seed, 'add', '-A')
  git(seed, 'commit', '-qm', 'first')
  git(seed, 'push', '-q', bare, 'main')
  const actions = [
    { calls: [{ tool: 'read_file', input: { path: 'private.txt' } }] },
    { calls: [{ tool: 'write_file', input: { path: 'owned.txt', content: 'x' } }] },
    { reply: 'Done.' },
  ]
  const { project, keeper, startWorker } = await openEngineProject(
    {
      'private.txt': secret,
      'playbook.yaml': { lanes: { planner: actions } },
      '.cadre/templates/planner.agent.yaml':
        'id: planner\ntype: planner\ndescription: Plans\nsystem_prompt: You plan.\n',
    },
    { settings: { workspace: 'checkout', repository: bare } },
  )
  await startWorker({ args: ['--allow', 'write'] })
  const rested = new Promise((resolve) => keeper.onRest((_root, result) => resolve(result)))
  await keeper.start({ id, agent: 'planner', work: 'do it', workspace })
  expect(await rested).toMatchObject({
    kind: 'failed',
    code: 'configuration',
    message: expect.stringContaining(message),
  })
  expect(JSON.stringify((await keeper.read(id)) ?? '')).not.toContain(secret)
  for (const folder of [outside, project.path]) expect(existsSync(path.join(folder, 'owned.txt'))).toBe(false)
})
