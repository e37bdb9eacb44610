import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkspaces } from './create-workspaces.ts'
import { callOf, createWorkspaceFixture, gitIn, neverAborted } from './workspaces.spec-helpers.ts'

/** For tests that take seconds: `npm test` skips them, and `npm run test:deep` runs them. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

describe('a separate workspace', () => {
  it('is a worktree on its own branch, and starts with the content of the folder, committed or not', async () => {
    const fixture = createWorkspaceFixture()
    fixture.write('a.txt', 'changed\n')
    fixture.write('new/file.txt', 'new\n')
    fixture.write('ignored/x', 'x')
    rmSync(fixture.at('b.txt'))
    fixture.write('staged.txt', 's\n')
    fixture.git('add', 'staged.txt')
    const status = fixture.git('status', '--porcelain')
    const index = readFileSync(fixture.at('.git', 'index'))
    const folder = await fixture.prepare('builder-1')
    expect(folder).toBe(fixture.home.at('workspaces', 'builder-1'))
    expect(readdirSync(folder).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'new', 'staged.txt'])
    expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe('changed\n')
    expect(gitIn(folder, 'branch', '--show-current').trim()).toBe('cadre/builder-1')
    expect(gitIn(folder, 'status', '--porcelain')).toBe('')
    // The person's own files are not touched.
    expect(fixture.git('status', '--porcelain')).toBe(status)
    expect(readFileSync(fixture.at('.git', 'index')).equals(index)).toBe(true)
    expect(fixture.git('log', '--format=%s').trim()).toBe('first')
  })

  inDeep('is found again, even by another process, and recreated if its folder was deleted', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('builder-1')
    await fixture.call('builder-1', 'c1', { 'x.txt': 'x' })
    const other = createWorkspaces({ home: fixture.home })
    const request = { session: 'builder-1', root: 'builder-1', agent: 'builder', base: fixture.project }
    expect(await other.prepare(request, neverAborted)).toEqual({ kind: 'ready', path: folder })
    rmSync(folder, { recursive: true })
    expect((await fixture.keeper.state('builder-1')).state).toBe('gone')
    expect(await other.prepare(request, neverAborted)).toEqual({ kind: 'ready', path: folder })
    expect(readFileSync(path.join(folder, 'x.txt'), 'utf8')).toBe('x')
    await fixture.call('builder-1', 'c2', { 'y.txt': 'y' })
    expect((await fixture.keeper.state('builder-1')).commits).toBe(2)
  })

  inDeep('of a folder without a repository is a separate, unreachable repository', async () => {
    const fixture = createWorkspaceFixture({ git: false })
    fixture.write('docs/a.md', 'a')
    fixture.write('run.sh', '#!/bin/sh\n')
    chmodSync(fixture.at('run.sh'), 0o755)
    symlinkSync('docs/a.md', fixture.at('link'))
    const folder = await fixture.prepare('builder-1')
    expect(readdirSync(folder).sort()).toEqual(['.git', 'docs', 'link', 'run.sh'])
    expect(lstatSync(path.join(folder, 'run.sh')).mode & 0o111).not.toBe(0)
    expect(lstatSync(path.join(folder, 'link')).isSymbolicLink()).toBe(true)
    expect(readFileSync(path.join(folder, '.git'), 'utf8')).toBe(
      `gitdir: ${fixture.home.at('storage', 'workspaces', 'builder-1.git')}\n`,
    )
    await fixture.call('builder-1', 'c1', { 'docs/b.md': 'b', 'docs/a.md': null })
    rmSync(folder, { recursive: true })
    await fixture.prepare('builder-1')
    expect(readdirSync(path.join(folder, 'docs'))).toEqual(['b.md'])
  })

  inDeep('of a repository without a commit likewise; with a detached head it is a worktree', async () => {
    const fixture = createWorkspaceFixture({ git: false })
    fixture.git('init', '-q')
    fixture.write('a.txt', 'a')
    expect(readdirSync(await fixture.prepare('s-1')).sort()).toEqual(['.git', 'a.txt'])
    expect(fixture.keeper.find('s-1').kind).toBe('repository')
    fixture.git('add', 'a.txt')
    fixture.git('commit', '-q', '-m', 'one')
    fixture.git('checkout', '-q', '--detach')
    await fixture.prepare('s-2')
    expect(fixture.keeper.find('s-2').kind).toBe('worktree')
    await fixture.call('s-2', 'c', { 'b.txt': 'b' })
    expect(await fixture.keeper.merge('s-2')).toMatchObject({ kind: 'merged', files: ['b.txt'] })
    expect(fixture.read('b.txt')).toBe('b')
  })

  inDeep('puts the session in the same subfolder as in the base', async () => {
    const fixture = createWorkspaceFixture()
    fixture.write('packages/x/index.ts', 'x')
    mkdirSync(fixture.at('packages/empty'))
    const folder = await fixture.prepare('s-1', fixture.at('packages/x'))
    expect(folder).toBe(fixture.home.at('workspaces', 's-1', 'packages', 'x'))
    expect(readdirSync(folder)).toEqual(['index.ts'])
    expect(readdirSync(await fixture.prepare('s-2', fixture.at('packages/empty')))).toEqual([])
  })

  inDeep('starts with the changes of sessions that it continues', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.prepare('s-2')
    await fixture.call('s-1', 'c', { 'one.txt': '1' })
    await fixture.call('s-2', 'c', { 'two.txt': '2' })
    const folder = await fixture.prepare('s-3', fixture.project, ['s-1', 's-2', 'unknown'])
    expect(existsSync(path.join(folder, 'one.txt'))).toBe(true)
    expect(existsSync(path.join(folder, 'two.txt'))).toBe(true)
    await fixture.call('s-3', 'c', { 'three.txt': '3' })
    expect((await fixture.keeper.merge('s-3')) as object).toMatchObject({ files: ['three.txt'] })
    await fixture.call('s-1', 'd', { 'two.txt': 'other' })
    const wanted = { session: 's-4', root: 's-4', agent: 'b', base: fixture.project, from: ['s-1', 's-2'] }
    expect(await fixture.keeper.prepare(wanted, neverAborted)).toMatchObject({
      kind: 'impossible',
      reason: expect.stringContaining('conflict with others: two.txt'),
    })
  })

  it('reports why it cannot be created', async () => {
    const fixture = createWorkspaceFixture()
    const prepare = (session: string, base = fixture.project) =>
      fixture.keeper.prepare({ session, root: session, agent: 'b', base }, neverAborted)
    expect(await prepare('../../x')).toMatchObject({ kind: 'impossible' })
    expect(await prepare('s-1', fixture.at('nowhere'))).toMatchObject({
      kind: 'impossible',
      reason: expect.stringContaining('this folder does not exist'),
    })
    mkdirSync(fixture.home.folder('workspaces', 's-2', 'x'), { recursive: true })
    expect(await prepare('s-2')).toMatchObject({
      kind: 'impossible',
      reason: expect.stringContaining('already exists'),
    })
    const before = process.env['PATH']
    process.env['PATH'] = fixture.at('empty')
    try {
      expect(await prepare('s-3')).toMatchObject({
        kind: 'impossible',
        reason: expect.stringContaining('git is not in PATH'),
      })
    } finally {
      process.env['PATH'] = before
    }
    expect(await prepare('s-3')).toMatchObject({ kind: 'ready' })
  })

  inDeep('turns any session name into a valid branch name', async () => {
    const fixture = createWorkspaceFixture()
    for (const session of ['a b~c^d', 'x.lock', '-rf', 'ä@{é', 'two..dots', 'builder-1'])
      await fixture.prepare(session)
    const branches = fixture.git('branch', '--format=%(refname:short)').trim().split('\n')
    expect(branches).toHaveLength(7)
    fixture.git('checkout', '-q', '-b', 'other')
    expect((await fixture.keeper.list()).map(({ state }) => state)).toEqual(Array(6).fill('empty'))
  })

  inDeep('that was partially created when the process died is created again', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    const file = fixture.home.at('storage', 'workspaces', 's-1.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"ready"', '"preparing"'))
    writeFileSync(fixture.home.at('workspaces', 's-1', 'half'), '')
    const folder = await fixture.prepare('s-1')
    expect(existsSync(path.join(folder, 'half'))).toBe(false)
    expect(fixture.git('worktree', 'list').trim().split('\n')).toHaveLength(2)
    expect(fixture.git('branch', '--list', 'cadre/*').trim().split('\n')).toHaveLength(1)
  })
})

describe('every effect there', () => {
  it('is a commit with the session and the call in its message, and no commit if nothing changed', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    await fixture.call('s-1', 'call_1', { 'x.txt': 'x' })
    await fixture.call('s-1', 'call_2', {})
    await fixture.call('s-1', 'call_3', { 'x.txt': 'x' })
    writeFileSync(path.join(folder, 'made.txt'), 'm')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('call_4'), neverAborted)
    const log = gitIn(folder, 'log', '--format=%an %s|%(trailers:only,unfold,separator=%x2C)', 'main..')
    expect(log.trim().split('\n')).toEqual([
      'Cadre execute_command make all|Session: s-1,Call: call_4,Agent: builder',
      'Cadre write_file x.txt|Session: s-1,Call: call_1,Agent: builder',
    ])
    expect(gitIn(folder, 'status', '--porcelain')).toBe('')
  })

  inDeep('of concurrent calls is committed one after the other, each with its own files', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    const ids = Array.from({ length: 8 }, (_, i) => `c${i}`)
    await Promise.all(ids.map((id) => fixture.call('s-1', id, { [`${id}.txt`]: id })))
    const { steps } = await fixture.keeper.diff('s-1')
    expect(steps.map(({ call }) => call).sort()).toEqual(ids)
    expect(steps.map(({ subject }) => subject).sort()).toEqual(ids.map((id) => `write_file ${id}.txt`))
  })

  inDeep(
    'that a crash left uncommitted is committed at the next opening, with the call in doubt',
    async () => {
      const fixture = createWorkspaceFixture()
      const folder = await fixture.prepare('s-1')
      writeFileSync(path.join(folder, 'half.txt'), 'half')
      const later = createWorkspaces({ home: fixture.home })
      await later.reopen(fixture.spec('s-1'), ['call_9'], neverAborted)
      expect(gitIn(folder, 'log', '-1', '--format=%s%n%b').trim()).toBe(
        'Changes left behind by interrupted calls: call_9\nSession: s-1\nCall: call_9\nAgent: builder\nIn-Doubt: yes',
      )
      await later.reopen(fixture.spec('s-1'), ['call_9'], neverAborted)
      expect((await later.state('s-1')).commits).toBe(1)
    },
  )

  inDeep('is never visible to another session, and never partial', async () => {
    const fixture = createWorkspaceFixture()
    const folders = await Promise.all(['s-1', 's-2', 's-3'].map((session) => fixture.prepare(session)))
    for (const [i, folder] of folders.entries()) writeFileSync(path.join(folder, 'a.txt'), `half of ${i}`)
    for (const [i, folder] of folders.entries())
      expect(readFileSync(path.join(folder, 'a.txt'), 'utf8')).toBe(`half of ${i}`)
    expect(fixture.read('a.txt')).toBe('one\ntwo\nthree\n')
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  inDeep('stays, whatever the agent does with git', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'x.txt': '1' })
    await fixture.call('s-1', 'c2', { 'y.txt': '2' })
    gitIn(folder, 'reset', '-q', '--hard', 'main')
    gitIn(folder, 'update-index', '--assume-unchanged', 'a.txt')
    writeFileSync(path.join(folder, 'a.txt'), 'hidden')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c3'), neverAborted)
    expect(fixture.git('diff', '--name-only', 'main', 'cadre/s-1')).toBe('a.txt\n')
    expect((await fixture.keeper.diff('s-1')).steps.map(({ call }) => call)).toEqual(['c1', 'c2', 'c3'])
    writeFileSync(path.join(folder, 'own.txt'), 'own')
    gitIn(folder, 'add', 'own.txt')
    gitIn(folder, 'commit', '-q', '-m', 'by the agent')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c4'), neverAborted)
    const last = await fixture.keeper.diff('s-1', { call: 'c4' })
    expect(last.stat).toContain('own.txt')
    gitIn(folder, 'checkout', '-q', '--detach')
    gitIn(folder, 'branch', '-D', 'cadre/s-1')
    await fixture.call('s-1', 'c5', { 'z.txt': 'z' })
    expect((await fixture.keeper.diff('s-1')).steps).toHaveLength(5)
  })
})

describe('files of agents', () => {
  inDeep('never make Cadre’s git run anything', async () => {
    const fixture = createWorkspaceFixture()
    const mark = fixture.at('..', `${path.basename(fixture.project)}-ran`)
    const script = `#!/bin/sh\ntouch ${mark}\ncat\n`
    fixture.write('clean.sh', script)
    chmodSync(fixture.at('clean.sh'), 0o755)
    fixture.git('config', 'filter.x.clean', './clean.sh')
    fixture.git('config', 'filter.x.smudge', './clean.sh')
    fixture.git('config', 'filter.x.process', './clean.sh')
    fixture.git('config', 'filter.x.required', 'true')
    fixture.git('config', 'merge.x.driver', './clean.sh %O %A %B')
    fixture.git('config', 'diff.x.textconv', './clean.sh')
    fixture.git('config', 'diff.x.command', './clean.sh')
    fixture.git('config', 'diff.external', './clean.sh')
    fixture.git('config', 'core.fsmonitor', './clean.sh')
    fixture.git('config', 'core.hooksPath', fixture.at('hooks'))
    for (const hook of [
      'post-checkout',
      'pre-commit',
      'post-index-change',
      'reference-transaction',
      'post-merge',
    ]) {
      fixture.write(`hooks/${hook}`, script)
      chmodSync(fixture.at('hooks', hook), 0o755)
    }
    const folder = await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { '.gitattributes': '* filter=x merge=x diff=x\n', 'a.txt': 'agent\n' })
    mkdirSync(path.join(folder, 'sub'))
    gitIn(path.join(folder, 'sub'), 'init', '-q')
    gitIn(path.join(folder, 'sub'), 'config', 'core.fsmonitor', script)
    writeFileSync(path.join(folder, 'sub', 'f'), 'f')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c2'), neverAborted)
    gitIn(path.join(folder, 'sub'), '-c', 'core.fsmonitor=false', 'add', 'f')
    gitIn(path.join(folder, 'sub'), '-c', 'core.fsmonitor=false', 'commit', '-q', '-m', 'x')
    writeFileSync(path.join(folder, 'sub', 'f'), 'g')
    writeFileSync(path.join(folder, 'more'), 'more')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c3'), neverAborted)
    const { stat, patch } = await fixture.keeper.diff('s-1')
    expect(stat).toContain('more')
    expect(patch).toContain('+agent')
    await fixture.keeper.list()
    expect((await fixture.keeper.merge('s-1')).kind).toBe('merged')
    await fixture.keeper.rollback('s-1', {})
    await fixture.keeper.remove('s-1')
    expect(existsSync(mark)).toBe(false)
    expect(fixture.read('a.txt')).toBe('agent\n')
  })

  it('never redirect Cadre’s git: the .git of a workspace, links, unusual names', async () => {
    const fixture = createWorkspaceFixture()
    const other = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    const before = other.git('log', '--all', '--format=%H')
    writeFileSync(path.join(folder, '.git'), `gitdir: ${other.at('.git')}\n`)
    await fixture.call('s-1', 'c1', { 'x.txt': 'x' })
    rmSync(path.join(folder, '.git'))
    mkdirSync(path.join(folder, '.git'))
    writeFileSync(path.join(folder, '.git', 'config'), '[core]\n\tfsmonitor = touch /tmp/never\n')
    symlinkSync(other.project, path.join(folder, 'away'))
    symlinkSync('/etc/passwd', path.join(folder, 'passwd'))
    const names = ['new\nline', '-rf', ':(top)x', '*', 'a b"c', 'ünï', '.git2/x']
    await fixture.call('s-1', 'c2', Object.fromEntries(names.map((name) => [name, name])))
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c3'), neverAborted)
    expect(other.git('log', '--all', '--format=%H')).toBe(before)
    expect((await fixture.keeper.state('s-1')).files).toEqual(
      expect.arrayContaining([...names, 'passwd', 'away']),
    )
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ kind: 'merged' })
    // As links, not their targets.
    expect(lstatSync(fixture.at('passwd')).isSymbolicLink()).toBe(true)
    expect(readFileSync(fixture.at('new\nline'), 'utf8')).toBe('new\nline')
  })

  inDeep('do not go through a link of the person into another folder', async () => {
    const fixture = createWorkspaceFixture()
    const other = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    symlinkSync(other.project, fixture.at('ignored'))
    mkdirSync(path.join(folder, 'ignored'))
    writeFileSync(path.join(folder, '.gitignore'), '')
    writeFileSync(path.join(folder, 'ignored', 'evil'), 'x')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c1'), neverAborted)
    const merged = await fixture.keeper.merge('s-1').catch((error: Error) => error.message)
    expect(existsSync(other.at('evil'))).toBe(false)
    expect(merged).toContain(
      "nothing was changed: Untracked working tree file 'ignored' would be overwritten",
    )
  })

  inDeep('that are unreadable block nothing', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    writeFileSync(path.join(folder, 'locked'), 'x')
    chmodSync(path.join(folder, 'locked'), 0)
    writeFileSync(path.join(folder, 'free'), 'x')
    await fixture.keeper.commitCall(fixture.spec('s-1'), callOf('c1'), neverAborted)
    expect((await fixture.keeper.diff('s-1')).stat).toContain('free')
  })

  inDeep('of a submodule are not touched', async () => {
    const inner = createWorkspaceFixture()
    const fixture = createWorkspaceFixture()
    fixture.git('submodule', '--quiet', 'add', inner.project, 'inner')
    fixture.git('commit', '-q', '-m', 'with inner')
    const folder = await fixture.prepare('s-1')
    expect(readdirSync(path.join(folder, 'inner'))).toEqual([])
    await fixture.call('s-1', 'c1', { 'x.txt': 'x' })
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ kind: 'merged', files: ['x.txt'] })
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  inDeep('in repositories and submodules stay, and so does the workspace', async () => {
    const inner = createWorkspaceFixture()
    const fixture = createWorkspaceFixture()
    fixture.git('submodule', '--quiet', 'add', inner.project, 'inner')
    fixture.git('commit', '-q', '-m', 'with inner')
    const made = await fixture.prepare('s-1')
    gitIn(made, 'init', '-q', 'nest')
    await fixture.call('s-1', 'c1', { 'x.txt': 'x', 'nest/n.txt': 'n' })
    const written = await fixture.prepare('s-2')
    await fixture.call('s-2', 'c1', { 'inner/new.txt': 'new' })
    const cloned = await fixture.prepare('s-3')
    gitIn(cloned, 'submodule', '--quiet', 'update', '--init')
    gitIn(path.join(cloned, 'inner'), 'commit', '-q', '--allow-empty', '-m', 'more')
    await fixture.call('s-3', 'c1', { 'y.txt': 'y' })
    const left = { 's-1': 'nest', 's-2': 'inner', 's-3': 'inner' }
    for (const [session, folder] of Object.entries(left)) {
      const returns = { kind: 'own', session, base: fixture.project, returns: true } as const
      const settled = await fixture.keeper.settle(fixture.spec(session, { isolation: returns }), 'completed')
      expect(settled?.message).toMatch(new RegExp(`They stay in .*: ${folder}\\.`))
      expect(await fixture.keeper.leave(session)).toBe(false)
      expect(await fixture.keeper.leave(session, { discards: 'ignored' })).toBe(false)
      expect(await fixture.keeper.state(session)).toMatchObject({ repositories: [folder] })
    }
    expect(readFileSync(path.join(made, 'nest', 'n.txt'), 'utf8')).toBe('n')
    expect(readFileSync(path.join(written, 'inner', 'new.txt'), 'utf8')).toBe('new')
    // The submodule of the project is unchanged.
    expect(fixture.git('status', '--porcelain')).toBe('?? x.txt\n?? y.txt\n')
  })
})
