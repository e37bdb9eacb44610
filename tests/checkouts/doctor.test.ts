import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  createTestRepository,
  gitIn,
  type TestRepository,
} from '../../packages/workspaces/src/checkouts/checkouts.spec-helpers.ts'
import { createProject } from '../cli/support/project.ts'
import { hasHttpBackend, password, startHttpsServer, user } from './support/https-server.ts'
import { hasSshd, startSshd } from './support/sshd.ts'

/** What `cadre doctor` says about a repository. */
async function checkOf(repository: string, wait = '60') {
  const engine = { kind: 'restate', place: 'office', workspace: 'checkout', repository }
  const project = createProject({ '.cadre/config.yaml': { engine } })
  const env = { CADRE_TRUST: '1', HOME: process.env['HOME'] ?? '', PATH: process.env['PATH'] ?? '' }
  const { json, stdout } = await project.cadre(['doctor', '--json', '--wait', wait], { env })
  const [{ checks } = { checks: [] }] = json() as unknown as [{ checks: { name: string }[] }]
  return { check: checks.find(({ name }) => name === 'repository'), stdout }
}

/** Everything in a repository. */
function listingOf({ bare, git }: TestRepository): string {
  return `${git('for-each-ref')}\n${readdirSync(bare, { recursive: true, encoding: 'utf8' }).sort().join('\n')}`
}

const pushFix = expect.stringMatching(/write access, and let it push to refs\/cadre\/\*/)

test('says that this machine can push, and leaves nothing behind', async () => {
  const repository = createTestRepository()
  const before = listingOf(repository)
  for (const address of [repository.bare, `file://${repository.bare}`])
    expect((await checkOf(address)).check).toMatchObject({
      status: 'ok',
      message: `sessions work in checkouts of ${address} and start from main; this machine can push to it`,
    })
  expect(listingOf(repository)).toBe(before)
})

test('can push to a repository with SHA-256', async () => {
  const { folder } = createTestRepository()
  const bare = path.join(folder, 'sha256.git')
  const seed = path.join(folder, 'sha256')
  mkdirSync(seed)
  gitIn(folder, 'init', '-q', '--bare', '--object-format=sha256', '-b', 'main', bare)
  gitIn(seed, 'init', '-q', '--object-format=sha256', '-b', 'main')
  gitIn(seed, 'commit', '-q', '--allow-empty', '-m', 'first')
  gitIn(seed, 'push', '-q', bare, 'main')
  expect((await checkOf(bare)).check).toMatchObject({ status: 'ok' })
})

test.skipIf(process.getuid?.() === 0)('a folder that this user cannot write to is a failure', async () => {
  const { bare } = createTestRepository()
  chmodSync(path.join(bare, 'refs'), 0o555)
  const { check } = await checkOf(bare)
  chmodSync(path.join(bare, 'refs'), 0o755)
  expect(check).toMatchObject({ status: 'fail', message: expect.stringMatching(/cannot push to .*EACCES/) })
})

test.skipIf(!hasSshd)('an SSH key that can only read is a failure', async () => {
  const repository = createTestRepository()
  const sshd = await startSshd()
  const address = sshd.address(repository.bare)
  expect((await checkOf(address)).check).toMatchObject({ status: 'ok' })
  sshd.authorise({ isReadOnly: true })
  expect((await checkOf(address)).check).toMatchObject({
    status: 'fail',
    message: `cannot push to ${address}: This key can only read.`,
    fix: pushFix,
  })
  sshd.refuse()
  expect((await checkOf(address)).check).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/^cannot read .*Permission denied/),
    fix: expect.stringContaining('an SSH key or a credential helper'),
  })
})

test.skipIf(!hasHttpBackend)(
  'a server that allows only reading, or does not answer, is a failure',
  async () => {
    const repository = createTestRepository()
    const server = await startHttpsServer(repository.folder)
    const address = server.address('project.git', `${user}:${encodeURIComponent(password)}`)
    expect((await checkOf(address)).check).toMatchObject({ status: 'ok' })
    repository.git('config', 'http.receivepack', 'false')
    const refused = await checkOf(address)
    expect(refused.check).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/^cannot push to https:\/\/\*\*\*@127\.0\.0\.1.* 403/),
      fix: pushFix,
    })
    server.intercept = () => true
    const silent = await checkOf(address, '1')
    expect(silent.check).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/^https:\/\/\*\*\*@\S+ did not answer within 1 s$/),
      fix: expect.stringContaining('cadre doctor --wait 30'),
    })
    for (const { stdout } of [refused, silent]) expect(stdout).not.toMatch(/pass.{1,3}word/)
  },
)
