import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createWorkspaces } from '../create-workspaces.ts'
import { callOf } from '../workspaces.spec-helpers.ts'
import { createTestRepository, gitIn, never, readIn, writeIn } from './checkouts.spec-helpers.ts'

/** `npm test` skips them: each starts many processes of git. */
const inDeep = test.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

const root = 'lead-1'
const ref = `refs/cadre/trees/${root}`
const waits = { waits: true }

test('another worker continues with the files of the last stored call', async () => {
  const repository = createTestRepository({ 'a.txt': 'one\n', '.gitignore': 'cache/\n' })
  const [a, b] = [repository.worker(), repository.worker()]
  const first = await a.take(root)
  expect(readIn(first.folder, 'a.txt')).toBe('one\n')
  writeIn(first.folder, 'a.txt', 'two\n')
  writeIn(first.folder, 'sub/new.txt', 'new\n')
  writeIn(first.folder, 'cache/big', 'ignored')
  await a.checkouts.store(root)
  // A call in doubt: nothing has stored its effect.
  writeIn(first.folder, 'lost.txt', 'x')

  const second = await b.take(root)
  expect(second.folder).not.toBe(first.folder)
  expect(readIn(second.folder, 'a.txt')).toBe('two\n')
  expect(readIn(second.folder, 'sub/new.txt')).toBe('new\n')
  expect(readIn(second.folder, 'cache/big')).toBeUndefined()
  expect(readIn(second.folder, 'lost.txt')).toBeUndefined()
  // Agents see their changes as uncommitted, as on the first worker.
  expect(gitIn(second.folder, 'status', '--porcelain', '-uall')).toBe(' M a.txt\n?? sub/new.txt\n')
  expect(gitIn(second.folder, 'log', '--format=%s')).toBe('first\n')
  expect(repository.git('for-each-ref', '--format=%(refname)').trim().split('\n')).toEqual([
    ref,
    'refs/heads/main',
  ])
})

test('a worker whose checkout was taken over gives the tree up and cannot store anything', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const first = await a.take(root)
  const second = await b.take(root)
  const taken = repository.git('rev-parse', ref)
  // The second worker has changed nothing yet.
  writeIn(first.folder, 'a.txt', 'stale\n')
  await expect(a.checkouts.store(root)).rejects.toThrow('another worker has taken over the files of lead-1')
  expect(first.life.lost.aborted).toBe(true)
  expect(repository.git('rev-parse', ref)).toBe(taken)
  writeIn(second.folder, 'b.txt', 'b\n')
  await b.checkouts.store(root)
  expect(repository.show(ref, 'b.txt')).toBe('b\n')
  expect(repository.show(ref, 'a.txt')).toBe('one\n')

  // It may take the tree over again, and then has the other one's files.
  const third = await a.take(root)
  expect(readIn(third.folder, 'a.txt')).toBe('one\n')
  expect(readIn(third.folder, 'b.txt')).toBe('b\n')
})

inDeep('a stale result cannot reach a branch either', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const first = await a.take(root)
  await b.take(root)
  writeIn(first.folder, 'a.txt', 'stale\n')
  await expect(a.checkouts.finish(root, 'lead', waits)).rejects.toThrow('taken over')
  expect(repository.git('branch', '--list').trim()).toBe('* main')
})

inDeep('a restarted worker keeps the files that a call in doubt may have changed', async () => {
  const repository = createTestRepository()
  const first = await repository.worker('same').take(root)
  writeIn(first.folder, 'a.txt', 'two\n')
  writeIn(first.folder, '.git/index.lock', '')
  const again = await repository.worker('same').take(root)
  expect(again.folder).toBe(first.folder)
  expect(readIn(again.folder, 'a.txt')).toBe('two\n')
})

inDeep('every tree keeps the commit from which it started', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  await a.take(root)
  const seed = path.join(repository.folder, 'seed')
  writeIn(seed, 'later.txt', 'later\n')
  gitIn(seed, 'add', '-A')
  gitIn(seed, 'commit', '-qm', 'second')
  gitIn(seed, 'push', '-q', repository.bare, 'main')
  expect(readIn((await b.take(root)).folder, 'later.txt')).toBeUndefined()
  expect(readIn((await b.take('lead-2')).folder, 'later.txt')).toBe('later\n')
})

test('the result is one commit on a branch, and a continued tree adds to it', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const first = await a.take(root)
  expect(await a.checkouts.finish(root, 'lead', waits)).toBeUndefined()
  writeIn(first.folder, 'a.txt', 'two\n')
  await a.checkouts.store(root)
  rmSync(path.join(first.folder, 'a.txt'))
  writeIn(first.folder, 'b.txt', 'b\n')
  const result = { branch: 'cadre/lead-1', unmerged: [] }
  expect(await a.checkouts.finish(root, 'lead', waits)).toEqual(result)
  const before = repository.git('rev-parse', result.branch)
  // Repeated after a crash.
  expect(await a.checkouts.finish(root, 'lead', waits)).toEqual(result)
  expect(repository.git('rev-parse', result.branch)).toBe(before)
  expect(repository.git('log', '--format=%s', result.branch)).toBe('Changes by lead\nfirst\n')
  expect(repository.git('diff', '--name-status', 'main', result.branch)).toBe('D\ta.txt\nA\tb.txt\n')
  await a.checkouts.leave(root, true)
  expect(existsSync(first.folder)).toBe(false)

  const later = await b.take(root)
  expect(gitIn(later.folder, 'status', '--porcelain')).toBe('')
  writeIn(later.folder, 'c.txt', 'c\n')
  expect(await b.checkouts.finish(root, 'lead', waits)).toEqual(result)
  expect(repository.git('log', '--format=%s', result.branch)).toBe(
    'Changes by lead\nChanges by lead\nfirst\n',
  )
})

inDeep("agents' own commits move with the tree and are part of the result", async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  writeIn(folder, 'a.txt', 'two\n')
  gitIn(folder, 'commit', '-qam', 'My own commit')
  writeIn(folder, 'b.txt', 'b\n')
  await a.checkouts.store(root)
  const moved = await b.take(root)
  expect(gitIn(moved.folder, 'log', '--format=%s')).toBe('My own commit\nfirst\n')
  expect(gitIn(moved.folder, 'status', '--porcelain')).toBe('?? b.txt\n')
  await b.checkouts.finish(root, 'lead', waits)
  expect(repository.git('log', '--format=%s', 'cadre/lead-1')).toBe('Changes by lead\nMy own commit\nfirst\n')
})

inDeep("never changes a branch that is not Cadre's", async () => {
  const repository = createTestRepository()
  repository.git('branch', 'cadre/lead-1', 'main')
  const a = repository.worker()
  const { folder } = await a.take(root)
  writeIn(folder, 'a.txt', 'two\n')
  expect(await a.checkouts.finish(root, 'lead', waits)).toMatchObject({ branch: 'cadre/lead-1-2' })
  expect(repository.show('cadre/lead-1', 'a.txt')).toBe('one\n')

  const other = createTestRepository()
  other.git('branch', 'cadre', 'main')
  const worker = other.worker()
  writeIn((await worker.take(root)).folder, 'a.txt', 'two\n')
  expect(await worker.checkouts.finish(root, 'lead', waits)).toMatchObject({ branch: 'cadre-lead-1' })

  const third = createTestRepository()
  third.git('branch', 'cadre/lead-1/fix', 'main')
  const last = third.worker()
  writeIn((await last.take(root)).folder, 'a.txt', 'two\n')
  expect(await last.checkouts.finish(root, 'lead', waits)).toMatchObject({ branch: 'cadre/lead-1-2' })
})

test('waits with a notice while the repository is away, and loses nothing', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const away = `${repository.bare}.away`
  renameSync(repository.bare, away)
  const life = a.life(root)
  const preparing = a.checkouts.prepare(root, never)
  await expect
    .poll(() => life.notices.at(-1))
    .toMatch(/^lead-1 waits: cannot read \S+project\.git: .*Cadre retries\.$/)
  renameSync(away, repository.bare)
  const folder = await preparing
  expect(life.notices.at(-1)).toBeUndefined()

  renameSync(repository.bare, away)
  writeIn(folder, 'a.txt', 'two\n')
  const storing = a.checkouts.store(root)
  await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot (read|push)/)
  renameSync(away, repository.bare)
  await storing
  expect(repository.show(ref, 'a.txt')).toBe('two\n')
  expect(a.reports.filter((one) => one.includes('answers again'))).toHaveLength(2)
})

inDeep('a push that the repository refuses is repeated and explained', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder, life } = await a.take(root)
  const hook = path.join(repository.bare, 'hooks', 'pre-receive')
  writeIn(repository.bare, 'hooks/pre-receive', '#!/bin/sh\necho "no space for you" >&2\nexit 1\n')
  chmodSync(hook, 0o755)
  writeIn(folder, 'a.txt', 'two\n')
  const storing = a.checkouts.store(root)
  await expect.poll(() => life.notices.at(-1)).toMatch(/cannot push to .*no space for you.*Cadre retries/)
  // Nobody else can tell whether waiting helps.
  await expect
    .poll(() => life.notices.at(-1), { timeout: 20_000 })
    .toMatch(/no space for you.*has tried 5 times.*"cadre sessions cancel lead-1".*\.checkouts\/9080\/lead-1/)
  expect(a.reports.at(-1)).toContain('has tried 5 times')
  rmSync(hook)
  await storing
  expect(repository.show(ref, 'a.txt')).toBe('two\n')
})

inDeep('a push whose answer was lost does not look like a takeover', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder, life } = await a.take(root)
  const away = `${repository.bare}.away`
  // The push arrives, but then nobody can reach the repository.
  writeIn(
    repository.bare,
    'hooks/post-receive',
    `#!/bin/sh\nmv '${repository.bare}' '${away}'\nkill -9 $PPID\n`,
  )
  chmodSync(path.join(repository.bare, 'hooks', 'post-receive'), 0o755)
  writeIn(folder, 'a.txt', 'two\n')
  const storing = a.checkouts.store(root)
  await expect.poll(() => life.notices.at(-1)).toMatch(/^lead-1 waits: cannot read/)
  expect(existsSync(away)).toBe(true)
  // A program in the background changes the files before the next attempt.
  writeIn(folder, 'a.txt', 'three\n')
  rmSync(path.join(away, 'hooks', 'post-receive'))
  renameSync(away, repository.bare)
  await storing
  expect(life.lost.aborted).toBe(false)
  expect(repository.show(ref, 'a.txt')).toBe('three\n')
  expect(repository.show(`${ref}~1`, 'a.txt')).toBe('two\n')
})

test('a cancel ends the wait for a repository', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  renameSync(repository.bare, `${repository.bare}.away`)
  const life = a.life(root)
  const preparing = a.checkouts.prepare(root, never)
  await expect.poll(() => life.notices.length).toBeGreaterThan(0)
  expect(a.checkouts.stopWaiting(root)).toBe(true)
  await expect(preparing).rejects.toThrow('was cancelled before its checkout was ready')
})

inDeep('a cancel ends the wait for the end of a tree', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder, life } = await a.take(root)
  writeIn(folder, 'a.txt', 'two\n')
  renameSync(repository.bare, `${repository.bare}.away`)
  expect(a.checkouts.stopWaiting(root)).toBe(false)
  const finishing = a.checkouts.finish(root, 'lead', waits)
  await expect.poll(() => life.notices.length).toBeGreaterThan(0)
  expect(a.checkouts.stopWaiting(root)).toBe(true)
  await expect(finishing).rejects.toThrow('was cancelled before its last changes were stored')
  await a.checkouts.leave(root, true)
  expect(readIn(folder, 'a.txt')).toBe('two\n')
})

inDeep('a lost tree does not wait for a push that hangs', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder, life } = await a.take(root)
  const hook = 'hooks/pre-receive'
  const hangs = path.join(repository.folder, 'hangs')
  writeIn(repository.bare, hook, `#!/bin/sh\ntouch '${hangs}'\nexec sleep 60\n`)
  chmodSync(path.join(repository.bare, hook), 0o755)
  writeIn(folder, 'a.txt', 'two\n')
  const storing = a.checkouts.store(root)
  await expect.poll(() => existsSync(hangs), { timeout: 10_000 }).toBe(true)
  life.lose()
  await expect(storing).rejects.toThrow()
})

test('runs no hooks, filters or settings of the checkout', async () => {
  const repository = createTestRepository({ 'a.txt': 'one\n', '.gitattributes': '*.txt filter=evil\n' })
  const a = repository.worker()
  const { folder } = await a.take(root)
  const proof = path.join(repository.folder, 'proof')
  gitIn(folder, 'config', 'filter.evil.clean', `touch ${proof}; cat`)
  gitIn(folder, 'config', 'core.fsmonitor', `touch ${proof}`)
  gitIn(folder, 'config', 'core.sshCommand', `touch ${proof}`)
  writeIn(folder, '.git/hooks/reference-transaction', `#!/bin/sh\ntouch ${proof}\n`)
  writeIn(folder, 'a.txt', 'two\n')
  await a.checkouts.store(root)
  await a.checkouts.finish(root, 'lead', waits)
  expect(repository.show('cadre/lead-1', 'a.txt')).toBe('two\n')
  expect(existsSync(proof)).toBe(false)
})

inDeep('uses no settings of a project around the home', async () => {
  const repository = createTestRepository()
  const a = repository.worker('project')
  const project = path.join(repository.folder, 'project')
  const proof = path.join(repository.folder, 'proof')
  gitIn(project, 'init', '-q')
  gitIn(project, 'config', `url.ssh://nobody@127.0.0.1/.insteadOf`, repository.bare)
  gitIn(project, 'config', 'core.sshCommand', `touch ${proof};`)
  const { folder } = await a.take(root)
  writeIn(folder, 'a.txt', 'two\n')
  await a.checkouts.finish(root, 'lead', waits)
  expect(repository.show('cadre/lead-1', 'a.txt')).toBe('two\n')
  expect(existsSync(proof)).toBe(false)
})

test('a tree without a checkout ends without a result', async () => {
  const a = createTestRepository().worker()
  a.life(root)
  expect(await a.checkouts.finish(root, 'lead', waits)).toBeUndefined()
})

inDeep('an agent that replaces the repository in its checkout loses only its own commits', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const { folder } = await a.take(root)
  const seed = path.join(repository.folder, 'seed')
  writeIn(seed, 'secret.txt', 'secret\n')
  gitIn(seed, 'add', '-A')
  gitIn(seed, 'commit', '-qm', 'secret')
  rmSync(path.join(folder, '.git'), { recursive: true })
  writeIn(folder, '.git', `gitdir: ${seed}/.git\n`)
  writeIn(folder, 'a.txt', 'two\n')
  await a.checkouts.finish(root, 'lead', waits)
  expect(repository.show('cadre/lead-1', 'a.txt')).toBe('two\n')
  expect(repository.git('log', '--format=%s', 'cadre/lead-1')).toBe('Changes by lead\nfirst\n')
  expect(gitIn(seed, 'log', '-1', '--format=%s')).toBe('secret\n')
})

inDeep('workspaces of isolated sessions continue on another worker', async () => {
  const repository = createTestRepository()
  const [a, b] = [repository.worker(), repository.worker()]
  const { folder } = await a.take(root)
  const spec = (base: string, workspace: string) =>
    ({
      id: 'child-1',
      root,
      agent: { name: 'child' },
      workspace,
      isolation: { kind: 'own', session: 'child-1', base },
    }) as never
  const request = (base: string) => ({ session: 'child-1', root, agent: 'child', base })
  const first = createWorkspaces({ home: a.home })
  const prepared = await first.prepare(request(folder), never)
  if (prepared.kind !== 'ready') throw new Error(prepared.reason)
  writeIn(prepared.path, 'child.txt', 'child\n')
  await first.commitCall(spec(folder, prepared.path), callOf('call_1', ['child.txt']), never)
  await a.checkouts.store(root)

  const moved = await b.take(root)
  const second = createWorkspaces({ home: b.home })
  const place = path.join(b.home.at('workspaces'), 'child-1')
  await second.reopen(spec(moved.folder, place), [], never)
  expect(readIn(place, 'child.txt')).toBe('child\n')
  expect(readIn(moved.folder, 'child.txt')).toBeUndefined()
  expect(await second.merge('child-1')).toMatchObject({ kind: 'merged' })
  expect(readIn(moved.folder, 'child.txt')).toBe('child\n')
  expect(await b.checkouts.finish(root, 'lead', waits)).toEqual({ branch: 'cadre/lead-1', unmerged: [] })
  expect(repository.show('cadre/lead-1', 'child.txt')).toBe('child\n')
  await b.checkouts.leave(root, true)
  expect(existsSync(place)).toBe(false)
})

inDeep('keeps only a few checkouts of trees that do not run', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  const folders: string[] = []
  for (const name of ['t-1', 't-2', 't-3', 't-4']) {
    folders.push((await a.take(name)).folder)
    await a.checkouts.leave(name, false)
  }
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, false, true, true])
})

inDeep('keeps checkouts with files that are not stored', async () => {
  const repository = createTestRepository()
  const killed = await repository.worker('same').take('killed')
  writeIn(killed.folder, 'a.txt', 'two\n')
  const a = repository.worker('same')
  const cancelled = await a.take('cancelled')
  writeIn(cancelled.folder, 'a.txt', 'three\n')
  renameSync(repository.bare, `${repository.bare}.away`)
  await expect(a.checkouts.finish('cancelled', 'lead', { waits: false })).rejects.toThrow('cannot')
  await a.checkouts.leave('cancelled', true)
  renameSync(`${repository.bare}.away`, repository.bare)
  const folders: string[] = []
  for (const name of ['t-1', 't-2', 't-3']) {
    folders.push((await a.take(name)).folder)
    await a.checkouts.leave(name, false)
  }
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, true])
  expect(readIn(killed.folder, 'a.txt')).toBe('two\n')
  expect(readIn(cancelled.folder, 'a.txt')).toBe('three\n')

  // The files are stored when the tree continues.
  const again = await a.take('killed')
  expect(readIn(again.folder, 'a.txt')).toBe('two\n')
  await a.checkouts.store('killed')
  await a.checkouts.leave('killed', false)
  for (const name of ['t-4', 't-5']) {
    await a.take(name)
    await a.checkouts.leave(name, false)
  }
  expect(existsSync(killed.folder)).toBe(false)
})

inDeep('a tree that begins while its old checkout is removed has its files', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  for (const name of ['t-1', 't-2']) {
    await a.take(name)
    await a.checkouts.leave(name, false)
  }
  await a.take('t-3')
  const leaving = a.checkouts.leave('t-3', false)
  const taken = await a.take('t-1')
  await leaving
  expect(readIn(taken.folder, 'a.txt')).toBe('one\n')
})

test('an empty repository is an error that names it', async () => {
  const repository = createTestRepository()
  const a = repository.worker()
  repository.git('symbolic-ref', 'HEAD', 'refs/heads/nothing')
  const life = a.life(root)
  const preparing = a.checkouts.prepare(root, never)
  await expect.poll(() => life.notices.at(-1)).toContain('has no commit on its default branch')
  life.lose()
  await expect(preparing).rejects.toThrow()
})
