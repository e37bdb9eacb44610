import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkspaceFixture, neverAborted } from './workspaces.spec-helpers.ts'

/** For tests that take seconds: `npm test` skips them, and `npm run test:deep` runs them. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

describe('merging a workspace', () => {
  it('makes one commit with only the session’s changes, and keeps the person’s uncommitted ones', async () => {
    const fixture = createWorkspaceFixture()
    fixture.write('mine.txt', 'not committed')
    fixture.write('staged.txt', 's')
    fixture.git('add', 'staged.txt')
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'a.txt': 'one\ntwo\n3\n' })
    await fixture.call('s-1', 'c2', { 'deep/new.txt': 'n', 'b.txt': null })
    fixture.write('a.txt', 'ONE\ntwo\nthree\n')
    fixture.git('commit', '-q', '-m', 'meanwhile', 'a.txt')
    const result = await fixture.keeper.merge('s-1')
    expect(result).toMatchObject({ kind: 'merged', files: ['a.txt', 'b.txt', 'deep/new.txt'] })
    expect(fixture.read('a.txt')).toBe('ONE\ntwo\n3\n')
    expect(existsSync(fixture.at('b.txt'))).toBe(false)
    expect(fixture.git('log', '--format=%s').trim().split('\n')).toEqual([
      'Work by builder (s-1)',
      'meanwhile',
      'first',
    ])
    expect(fixture.git('show', '--format=', '--name-only', 'HEAD').trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'deep/new.txt',
    ])
    expect(fixture.git('status', '--porcelain')).toBe('A  staged.txt\n?? mine.txt\n')
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    expect((await fixture.keeper.state('s-1')).state).toBe('merged')
  })

  inDeep('copies ignored files that a tool named to the folder, without a commit', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'ignored/out.js': 'built', 'a.txt': 'two\n' })
    const result = await fixture.keeper.merge('s-1')
    expect(result).toMatchObject({
      kind: 'merged',
      files: ['a.txt', 'ignored/out.js'],
      ignored: ['ignored/out.js'],
    })
    expect(fixture.read('ignored/out.js')).toBe('built')
    expect(fixture.git('show', '--format=', '--name-only', 'HEAD').trim()).toBe('a.txt')
    expect(fixture.git('status', '--porcelain')).toBe('')
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    // Changed, undone and merged again, like any other file.
    await fixture.call('s-1', 'c2', { 'ignored/out.js': 'built again' })
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ files: ['ignored/out.js'] })
    expect(fixture.read('ignored/out.js')).toBe('built again')
    await fixture.keeper.rollback('s-1', {})
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ files: ['a.txt', 'ignored/out.js'] })
    expect(fixture.exists('ignored/out.js')).toBe(false)
  })

  inDeep('does not overwrite ignored files of a person', async () => {
    for (const git of [true, false]) {
      const fixture = createWorkspaceFixture({ git })
      fixture.write('.gitignore', 'ignored/\n')
      await fixture.prepare('s-1')
      fixture.write('ignored/.env', 'mine')
      await fixture.call('s-1', 'c1', { 'ignored/.env': 'theirs', 'b.txt': 'new' })
      const refused = { kind: 'conflicts', files: ['ignored/.env'] }
      expect(await fixture.keeper.merge('s-1')).toEqual(refused)
      expect(await fixture.keeper.merge('s-1', { commit: false })).toEqual(refused)
      expect(fixture.read('ignored/.env')).toBe('mine')
      expect(fixture.exists('b.txt') && fixture.read('b.txt') === 'new').toBe(false)
      // Not even if the session changes the ignore rules.
      await fixture.call('s-1', 'c2', { '.gitignore': '' })
      expect((await fixture.keeper.merge('s-1')).kind).toMatch(/conflicts|dirty/)
      expect(fixture.read('ignored/.env')).toBe('mine')
    }
  })

  inDeep('includes ignored files that a command created if a person requests them', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    mkdirSync(path.join(folder, 'ignored/deep'), { recursive: true })
    writeFileSync(path.join(folder, 'ignored/deep/x'), 'x')
    writeFileSync(path.join(folder, 'ignored/y'), 'y')
    expect((await fixture.keeper.state('s-1')).ignored).toEqual(['ignored/'])
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    await expect(fixture.keeper.merge('s-1', { include: ['no'] })).rejects.toThrow('has no ignored file "no"')
    const merged = await fixture.keeper.merge('s-1', { include: ['ignored/deep'] })
    expect(merged).toMatchObject({ files: ['ignored/deep/x'] })
    expect(fixture.read('ignored/deep/x')).toBe('x')
    expect(fixture.exists('ignored/y')).toBe(false)
    expect((await fixture.keeper.state('s-1')).ignored).toEqual(['ignored/y'])
  })

  inDeep(
    'passes ignored files that a tool named through workspaces, and keeps those of commands',
    async () => {
      const fixture = createWorkspaceFixture()
      const above = await fixture.prepare('s-1')
      const folder = await fixture.prepare('s-2', above)
      await fixture.call('s-2', 'c1', { 'ignored/out.js': 'built' })
      mkdirSync(path.join(folder, 'ignored/modules'))
      writeFileSync(path.join(folder, 'ignored/modules/m'), 'm')
      const returns = { kind: 'own', session: 's-2', base: above, returns: true } as const
      const settled = await fixture.keeper.settle(fixture.spec('s-2', { isolation: returns }), 'completed')
      expect(settled?.message).toContain(`they stay in ${folder}: ignored/modules/.`)
      expect(settled?.isMissing).toBeUndefined()
      expect(await fixture.keeper.leave('s-2')).toBe(false)
      expect(existsSync(path.join(folder, 'ignored/modules/m'))).toBe(true)
      expect(await fixture.keeper.leave('s-2', { discards: 'ignored' })).toBe(true)
      expect(await fixture.keeper.merge('s-1')).toMatchObject({ files: ['ignored/out.js'] })
      expect(fixture.read('ignored/out.js')).toBe('built')
      // Dependent work starts with it, even if it is not merged.
      const bare = createWorkspaceFixture({ git: false })
      bare.write('.gitignore', 'ignored/\n')
      await bare.prepare('s-1')
      await bare.call('s-1', 'c1', { 'ignored/out.js': 'built' })
      const next = await bare.prepare('s-2', bare.project, ['s-1'])
      expect(readFileSync(path.join(next, 'ignored/out.js'), 'utf8')).toBe('built')
    },
  )

  inDeep('reports conflicting files and changes nothing', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'a.txt': 'agent\n', 'c.txt': 'c', 'b.txt': 'b2\n' })
    fixture.write('a.txt', 'person\n')
    fixture.write('b.txt', 'b3\n')
    fixture.git('commit', '-qam', 'meanwhile')
    const before = [
      fixture.git('rev-parse', 'HEAD'),
      readFileSync(fixture.at('.git', 'index')).toString('hex'),
    ]
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'conflicts', files: ['a.txt', 'b.txt'] })
    expect(await fixture.keeper.merge('s-1', { commit: false })).toEqual({
      kind: 'conflicts',
      files: ['a.txt', 'b.txt'],
    })
    expect([
      fixture.git('rev-parse', 'HEAD'),
      readFileSync(fixture.at('.git', 'index')).toString('hex'),
    ]).toEqual(before)
    expect(fixture.read('a.txt')).toBe('person\n')
    expect(fixture.exists('c.txt')).toBe(false)
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  it('refuses to overwrite uncommitted files', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'a.txt': 'agent\n', 'new.txt': 'agent' })
    fixture.write('a.txt', 'one\ntwo\nthree\nfour\n')
    fixture.write('new.txt', 'person')
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'dirty', files: ['a.txt', 'new.txt'] })
    expect(fixture.read('new.txt')).toBe('person')
    // Existing files with the same content are no conflict.
    fixture.write('new.txt', 'agent')
    fixture.git('checkout', '-q', 'a.txt')
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ kind: 'merged' })
    expect(fixture.git('status', '--porcelain')).toBe('')
  })

  inDeep('waits for a merge that a person has not finished', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'x.txt': 'x' })
    writeFileSync(fixture.at('.git', 'MERGE_HEAD'), fixture.git('rev-parse', 'HEAD'))
    await expect(fixture.keeper.merge('s-1')).rejects.toThrow('a merge is in progress here')
  })

  inDeep('without a commit changes only files, and respects uncommitted ones', async () => {
    const fixture = createWorkspaceFixture()
    fixture.write('a.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n')
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n7\n', 'n.txt': 'n' })
    fixture.write('a.txt', '1\ntwo\nthree\nfour\nfive\nsix\nseven\n')
    expect(await fixture.keeper.merge('s-1', { commit: false })).toMatchObject({ files: ['a.txt', 'n.txt'] })
    expect(fixture.read('a.txt')).toBe('1\ntwo\nthree\nfour\nfive\nsix\n7\n')
    expect(fixture.git('status', '--porcelain')).toBe(' M a.txt\n?? n.txt\n')
    expect(fixture.git('log', '--format=%s').trim()).toBe('first')
  })

  inDeep('merges later changes in a second merge', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'x.txt': '1' })
    await fixture.keeper.merge('s-1')
    fixture.write('x.txt', '1 and mine')
    fixture.git('commit', '-qam', 'mine')
    await fixture.call('s-1', 'c2', { 'y.txt': '2' })
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ kind: 'merged', files: ['y.txt'] })
    expect(fixture.read('x.txt')).toBe('1 and mine')
  })

  inDeep('merges the files of a separate repository back into the folder, with the same checks', async () => {
    const fixture = createWorkspaceFixture({ git: false })
    fixture.write('a.txt', 'one\n')
    fixture.write('b.txt', 'b\n')
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'a.txt': 'two\n', 'c/d.txt': 'd', 'b.txt': null })
    fixture.write('a.txt', 'mine\n')
    const before = [fixture.read('a.txt'), fixture.read('b.txt')]
    expect(await fixture.keeper.merge('s-1')).toEqual({ kind: 'conflicts', files: ['a.txt'] })
    expect([fixture.read('a.txt'), fixture.read('b.txt')]).toEqual(before)
    expect(fixture.exists('c')).toBe(false)
    fixture.write('a.txt', 'one\n')
    fixture.write('other.txt', 'o')
    expect(await fixture.keeper.merge('s-1')).toEqual({
      kind: 'merged',
      files: ['a.txt', 'b.txt', 'c/d.txt'],
    })
    expect([fixture.read('a.txt'), fixture.exists('b.txt'), fixture.read('c/d.txt')]).toEqual([
      'two\n',
      false,
      'd',
    ])
    expect(fixture.read('other.txt')).toBe('o')
    expect(fixture.exists('.git')).toBe(false)
  })

  inDeep('goes into the workspace of the parent session, as a commit there', async () => {
    const fixture = createWorkspaceFixture()
    const above = await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'above.txt': 'a' })
    const below = await fixture.prepare('s-2', above)
    expect(existsSync(path.join(below, 'above.txt'))).toBe(true)
    await fixture.call('s-2', 'c1', { 'below.txt': 'b' })
    expect(await fixture.keeper.merge('s-2')).toMatchObject({ kind: 'merged', files: ['below.txt'] })
    expect(readFileSync(path.join(above, 'below.txt'), 'utf8')).toBe('b')
    expect((await fixture.keeper.diff('s-1')).steps.map(({ subject }) => subject)).toEqual([
      'write_file above.txt',
      'Work by builder (s-2)',
    ])
    expect(fixture.exists('below.txt')).toBe(false)
  })
})

describe('rolling back', () => {
  const fill = async (fixture: ReturnType<typeof createWorkspaceFixture>) => {
    await fixture.prepare('s-1')
    for (const id of ['c1', 'c2', 'c3']) await fixture.call('s-1', id, { [`${id}.txt`]: id })
  }
  const names = (fixture: ReturnType<typeof createWorkspaceFixture>) =>
    fixture.keeper.state('s-1').then(({ files }) => files)

  it('undoes one call of three, with a commit', async () => {
    const fixture = createWorkspaceFixture()
    await fill(fixture)
    expect(await fixture.keeper.rollback('s-1', { call: 'c2' })).toMatchObject({
      kind: 'undone',
      files: ['c2.txt'],
    })
    expect(await names(fixture)).toEqual(['c1.txt', 'c3.txt'])
    expect(existsSync(fixture.home.at('workspaces', 's-1', 'c2.txt'))).toBe(false)
    expect((await fixture.keeper.diff('s-1')).steps).toHaveLength(4)
    expect(await fixture.keeper.rollback('s-1', { call: 'c2' })).toEqual({ kind: 'nothing' })
    await expect(fixture.keeper.rollback('s-1', { call: 'c9' })).rejects.toThrow(/Calls that did: c1, c2, c3/)
    await fixture.call('s-1', 'c4', { 'c2.txt': 'again' })
    expect(await names(fixture)).toContain('c2.txt')
  })

  inDeep('undoes a session, including its uncommitted changes', async () => {
    const fixture = createWorkspaceFixture()
    await fill(fixture)
    writeFileSync(fixture.home.at('workspaces', 's-1', 'rest.txt'), 'r')
    expect((await fixture.keeper.rollback('s-1', {})).kind).toBe('undone')
    expect(await names(fixture)).toEqual([])
    expect((await fixture.keeper.state('s-1')).state).toBe('empty')
  })

  inDeep('undoes only what a session did in the workspace of another', async () => {
    const fixture = createWorkspaceFixture()
    await fill(fixture)
    const guest = fixture.spec('s-1', { id: 'guest-1' })
    writeFileSync(path.join(guest.workspace, 'g.txt'), 'g')
    const { callOf } = await import('./workspaces.spec-helpers.ts')
    await fixture.keeper.commitCall(guest, callOf('c1', ['g.txt']), neverAborted)
    expect(await fixture.keeper.rollback('s-1', { session: 'guest-1' })).toMatchObject({ files: ['g.txt'] })
    expect(await names(fixture)).toHaveLength(3)
  })

  inDeep('refuses if a later change depends on it, and names it', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'x.txt': 'one\n' })
    await fixture.call('s-1', 'c2', { 'x.txt': 'two\n' })
    const result = await fixture.keeper.rollback('s-1', { call: 'c1' })
    expect(result).toMatchObject({ kind: 'in_the_way', files: ['x.txt'], by: [{ call: 'c2' }] })
    expect(readFileSync(fixture.home.at('workspaces', 's-1', 'x.txt'), 'utf8')).toBe('two\n')
    await fixture.keeper.rollback('s-1', { call: 'c2' })
    expect(readFileSync(fixture.home.at('workspaces', 's-1', 'x.txt'), 'utf8')).toBe('one\n')
    expect((await fixture.keeper.rollback('s-1', { call: 'c1' })).kind).toBe('undone')
  })

  inDeep('is merged like any other change', async () => {
    const fixture = createWorkspaceFixture()
    await fill(fixture)
    await fixture.keeper.merge('s-1')
    await fixture.keeper.rollback('s-1', { call: 'c2' })
    expect(await fixture.keeper.merge('s-1')).toMatchObject({ kind: 'merged', files: ['c2.txt'] })
    expect(fixture.exists('c2.txt')).toBe(false)
    expect(fixture.exists('c1.txt')).toBe(true)
  })
})

describe('leftovers', () => {
  inDeep('are removed if nothing would be lost, and stay otherwise', async () => {
    const fixture = createWorkspaceFixture()
    for (const session of ['empty-1', 'merged-1', 'open-1', 'hand-1', 'ignored-1'])
      await fixture.prepare(session)
    for (const session of ['merged-1', 'open-1', 'hand-1'])
      await fixture.call(session, 'c1', { [`${session}.txt`]: 'x' })
    await fixture.keeper.merge('merged-1')
    fixture.git('merge', '-q', '--no-edit', 'cadre/hand-1')
    const gone = await Promise.all(
      ['empty-1', 'merged-1', 'open-1', 'hand-1'].map((session) => fixture.keeper.leave(session)),
    )
    expect(gone).toEqual([true, true, false, true])
    expect((await fixture.keeper.list()).map(({ session }) => session)).toEqual(['open-1', 'ignored-1'])
    expect(fixture.git('branch', '--list', 'cadre/*')).toMatch(/^. cadre\/ignored-1\n. cadre\/open-1\n$/)
    expect(fixture.git('worktree', 'list').trim().split('\n')).toHaveLength(3)
  })

  it('of a deleted folder are removed from git, and no other worktree is', async () => {
    const fixture = createWorkspaceFixture()
    const folder = await fixture.prepare('s-1')
    const mine = path.join(fixture.home.path, '..', 'mine')
    fixture.git('worktree', 'add', '-q', mine, '-b', 'mine')
    rmSync(folder, { recursive: true })
    rmSync(mine, { recursive: true })
    expect(await fixture.keeper.leave('s-1')).toBe(true)
    expect(fixture.git('worktree', 'list', '--porcelain')).toContain('branch refs/heads/mine')
    expect(fixture.git('branch', '--list', 'cadre/*')).toBe('')
  })

  inDeep('of a session that was never recorded are listed, and can be removed', async () => {
    const fixture = createWorkspaceFixture()
    await fixture.prepare('s-1')
    await fixture.call('s-1', 'c1', { 'x.txt': 'x' })
    mkdirSync(fixture.home.folder('sessions'), { recursive: true })
    expect(await fixture.keeper.list()).toMatchObject([{ session: 's-1', life: 'sleeping', state: 'open' }])
    await fixture.keeper.remove('s-1')
    expect(await fixture.keeper.list()).toEqual([])
    expect(() => fixture.keeper.find('s-1')).toThrow('does not have its own workspace')
  })
})
