import {
  chmodSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspaces } from '../create-workspaces.ts'
import { callOf } from '../workspaces.spec-helpers.ts'
import {
  createTestRepository,
  gitIn,
  never,
  readIn,
  type TestRepository,
  writeIn,
} from './checkouts.spec-helpers.ts'

const isWhole = (process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL']) !== undefined

/** `npm test` skips them: each starts many processes of git. */
const inDeep = test.runIf(isWhole)

const root = 'lead-1'
const branch = `cadre/${root}`
const waits = { waits: true }

function pushMore(repository: TestRepository, file: string): void {
  const seed = path.join(repository.folder, 'seed')
  for (const text of ['two\n', 'three\n']) {
    writeIn(seed, file, text)
    gitIn(seed, 'add', '-A')
    gitIn(seed, 'commit', '-qm', `${file} ${text}`)
  }
  gitIn(seed, 'push', '-q', repository.bare, 'main')
}

/** The names of the result's commits. */
const subjects = (repository: TestRepository) =>
  repository.git('log', '--format=%s', branch).trim().split('\n')

const damages: [string, (folder: string) => void][] = [
  [
    'replaces .git',
    (folder) => {
      rmSync(path.join(folder, '.git'), { recursive: true })
      gitIn(folder, 'init', '-q')
    },
  ],
  ['removes .git', (folder) => rmSync(path.join(folder, '.git'), { recursive: true })],
  [
    'removes all objects',
    (folder) => {
      for (const name of readdirSync(path.join(folder, '.git', 'objects')))
        if (name !== 'info') rmSync(path.join(folder, '.git', 'objects', name), { recursive: true })
    },
  ],
]

test.each(isWhole ? damages : damages.slice(0, 1))(
  'a stored commit stays, although the agent %s',
  async (_, destroy) => {
    const repository = createTestRepository()
    const [a, b] = [repository.worker(), repository.worker()]
    const { folder, life } = await a.take(root)
    writeIn(folder, 'b.txt', 'two\n')
    gitIn(folder, 'add', '-A')
    gitIn(folder, 'commit', '-qm', 'My own commit')
    // Git has this content, but no commit of it.
    writeIn(folder, 'staged.txt', 'staged\n')
    gitIn(folder, 'add', '-A')
    await a.checkouts.store(root)
    destroy(folder)
    writeIn(folder, 'c.txt', 'three\n')
    await a.checkouts.store(root)
    const moved = await b.take(root)
    expect(['b.txt', 'staged.txt', 'c.txt'].map((name) => readIn(moved.folder, name))).toEqual([
      'two\n',
      'staged\n',
      'three\n',
    ])
    await b.checkouts.finish(root, 'lead', waits)
    expect(subjects(repository)).toEqual(['Changes by lead', 'My own commit', 'first'])
    expect(life.notices.filter((notice) => notice !== undefined)).toEqual([])
  },
)

inDeep('commits that an agent removes again do no harm', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder } = await a.take(root)
  writeIn(folder, 'b.txt', 'two\n')
  gitIn(folder, 'add', '-A')
  gitIn(folder, 'commit', '-qm', 'My own commit')
  await a.checkouts.store(root)
  gitIn(folder, 'reset', '-q', '--hard', 'HEAD~1')
  gitIn(folder, 'reflog', 'expire', '--expire=now', '--all')
  gitIn(folder, 'gc', '-q', '--prune=now')
  writeIn(folder, 'c.txt', 'three\n')
  await a.checkouts.store(root)
  await a.checkouts.finish(root, 'lead', waits)
  expect(repository.git('diff', '--name-status', 'main', branch)).toBe('A\tc.txt\n')
})

inDeep('a merged history that is not complete becomes one commit with its files', async () => {
  const repository = createTestRepository()
  const other = createTestRepository({ 'x.txt': 'x\n' })
  pushMore(other, 'x.txt')
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  gitIn(folder, 'fetch', '-q', '--depth=1', `file://${other.bare}`, 'main')
  gitIn(folder, 'merge', '-q', '--allow-unrelated-histories', '-m', 'merged', 'FETCH_HEAD')
  await a.checkouts.store(root)
  expect(readIn((await b.take(root)).folder, 'x.txt')).toBe('three\n')
  await b.checkouts.finish(root, 'lead', waits)
  expect(subjects(repository)).toEqual(['Changes by lead', 'first'])
  expect(repository.show(branch, 'x.txt')).toBe('three\n')
})

inDeep('a complete history that was merged is part of the result', async () => {
  const repository = createTestRepository()
  const other = createTestRepository({ 'x.txt': 'x\n' })
  pushMore(other, 'x.txt')
  const a = repository.worker()
  const { folder } = await a.take(root)
  gitIn(folder, 'fetch', '-q', `file://${other.bare}`, 'main')
  gitIn(folder, 'merge', '-q', '--allow-unrelated-histories', '-m', 'merged', 'FETCH_HEAD')
  await a.checkouts.finish(root, 'lead', waits)
  expect(subjects(repository)).toHaveLength(5)
  expect(repository.git('fsck', '--full', '--strict')).toBe('')
})

inDeep('a damaged commit becomes one commit with its files', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder } = await a.take(root)
  writeIn(folder, 'b.txt', 'two\n')
  writeIn(folder, 'c.txt', 'three\n')
  gitIn(folder, 'add', '-A')
  gitIn(folder, 'commit', '-qm', 'My own commit')
  const place = (file: string) => {
    const id = gitIn(folder, 'rev-parse', `HEAD:${file}`).trim()
    return path.join(folder, '.git', 'objects', id.slice(0, 2), id.slice(2))
  }
  // The content of one file under the id of another one.
  chmodSync(place('b.txt'), 0o644)
  writeFileSync(place('b.txt'), readFileSync(place('c.txt')))
  writeIn(folder, 'b.txt', 'later\n')
  await a.checkouts.finish(root, 'lead', waits)
  expect(subjects(repository)).toEqual(['Changes by lead', 'first'])
  expect(repository.show(branch, 'b.txt')).toBe('later\n')
})

inDeep('a folder that an agent replaces with a link stays a link', async () => {
  const repository = createTestRepository({ 'sub/deep/a.txt': 'a\n', 'sub/b.txt': 'b\n' })
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  renameSync(path.join(folder, 'sub'), path.join(folder, 'moved'))
  symlinkSync('moved', path.join(folder, 'sub'))
  await a.checkouts.store(root)
  const moved = await b.take(root)
  expect(readlinkSync(path.join(moved.folder, 'sub'))).toBe('moved')
  await b.checkouts.finish(root, 'lead', waits)
  expect(repository.git('ls-tree', '-r', '--name-only', branch)).toBe('moved/b.txt\nmoved/deep/a.txt\nsub\n')
})

inDeep('a detached head stays detached', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  gitIn(folder, 'checkout', '-q', '--detach')
  await a.checkouts.store(root)
  const moved = await b.take(root)
  expect(gitIn(moved.folder, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD\n')
})

inDeep('a head that is no branch continues on another worker', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  gitIn(folder, 'update-ref', 'refs/strange/name', 'HEAD')
  gitIn(folder, 'symbolic-ref', 'HEAD', 'refs/strange/name')
  writeIn(folder, 'b.txt', 'two\n')
  await a.checkouts.store(root)
  const moved = await b.take(root)
  expect(gitIn(moved.folder, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD\n')
  expect(readIn(moved.folder, 'b.txt')).toBe('two\n')
})

inDeep('an isolated session whose commits an agent has destroyed does not stop its tree', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  const workspaces = createWorkspaces({ home: a.home })
  const children = ['child-1', 'child-2'].map((id) => ({ id, stored: id === 'child-1' }))
  for (const { id, stored } of children) {
    const request = { session: id, root, agent: 'child', base: folder }
    const prepared = await workspaces.prepare(request, never)
    if (prepared.kind !== 'ready') throw new Error(prepared.reason)
    const isolation = { kind: 'own', session: id, base: folder }
    const spec = { id, root, agent: { name: 'child' }, workspace: prepared.path, isolation }
    writeIn(prepared.path, `${id}.txt`, 'child\n')
    await workspaces.commitCall(spec as never, callOf('call_1', [`${id}.txt`]), never)
    if (stored) await a.checkouts.store(root)
  }
  rmSync(path.join(folder, '.git'), { recursive: true })
  gitIn(folder, 'init', '-q')
  writeIn(folder, 'b.txt', 'two\n')
  await a.checkouts.store(root)
  expect(readIn((await b.take(root)).folder, 'b.txt')).toBe('two\n')
  const result = await b.checkouts.finish(root, 'lead', waits)
  expect(result).toEqual({ branch, unmerged: ['cadre/child-1'] })
  expect(repository.show('cadre/child-1', 'child-1.txt')).toBe('child\n')
})

test('files come back byte for byte, and the result has the line ends that the repository demands', async () => {
  const attributes = '* text=auto\n*.bat text eol=crlf\n*.u16 working-tree-encoding=UTF-16\n*.id ident\n'
  const repository = createTestRepository({
    '.gitattributes': attributes,
    'a.txt': 'one\n',
    'run.bat': 'echo\n',
    'b.id': '$Id$\n',
  })
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  const files = {
    'crlf.txt': 'one\r\ntwo\r\n',
    'mixed.txt': 'one\r\ntwo\n',
    'lf.bat': 'echo\n',
    'text.u16': 'not UTF-16\n',
    'c.id': '$Id: mine $\n',
  }
  for (const [name, text] of Object.entries(files)) writeIn(folder, name, text)
  await a.checkouts.store(root)
  const moved = await b.take(root)
  for (const [name, text] of Object.entries(files)) expect(readIn(moved.folder, name)).toBe(text)
  await b.checkouts.finish(root, 'lead', waits)
  expect(repository.show(branch, 'crlf.txt')).toBe('one\ntwo\n')
  expect(repository.show(branch, 'mixed.txt')).toBe('one\ntwo\n')
  expect(repository.git('diff', '--name-status', 'main', branch)).toBe(
    Object.keys(files)
      .sort()
      .map((name) => `A\t${name}\n`)
      .join(''),
  )
})

inDeep('a file that an agent has committed with other line ends needs no other commit', async () => {
  const repository = createTestRepository({ 'a.txt': 'one\n', '.gitattributes': '* text=auto\n' })
  const a = repository.worker()
  const { folder } = await a.take(root)
  writeIn(folder, 'crlf.txt', 'one\r\ntwo\r\n')
  gitIn(folder, 'add', '-A')
  gitIn(folder, 'commit', '-qm', 'My own commit')
  await a.checkouts.finish(root, 'lead', waits)
  expect(subjects(repository)).toEqual(['My own commit', 'first'])
})
