import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGround, never } from './workspaces.spec-helpers.ts'

describe('merging a workspace', () => {
  it('makes one commit with only the session’s changes, and keeps the person’s uncommitted ones', async () => {
    const ground = createGround()
    ground.write('mine.txt', 'not committed')
    ground.write('staged.txt', 's')
    ground.git('add', 'staged.txt')
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'a.txt': 'one\ntwo\n3\n' })
    await ground.call('s-1', 'c2', { 'deep/new.txt': 'n', 'b.txt': null })
    ground.write('a.txt', 'ONE\ntwo\nthree\n')
    ground.git('commit', '-q', '-m', 'meanwhile', 'a.txt')
    const result = await ground.keeper.merge('s-1')
    expect(result).toMatchObject({ kind: 'merged', files: ['a.txt', 'b.txt', 'deep/new.txt'] })
    expect(ground.read('a.txt')).toBe('ONE\ntwo\n3\n')
    expect(existsSync(ground.at('b.txt'))).toBe(false)
    expect(ground.git('log', '--format=%s').trim().split('\n')).toEqual([
      'Work of builder (s-1)',
      'meanwhile',
      'first',
    ])
    expect(ground.git('show', '--format=', '--name-only', 'HEAD').trim().split('\n')).toEqual([
      'a.txt',
      'b.txt',
      'deep/new.txt',
    ])
    expect(ground.git('status', '--porcelain')).toBe('A  staged.txt\n?? mine.txt\n')
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    expect((await ground.keeper.state('s-1')).state).toBe('merged')
  })

  it('copies ignored files that a tool named to the folder, without a commit', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'ignored/out.js': 'built', 'a.txt': 'two\n' })
    const result = await ground.keeper.merge('s-1')
    expect(result).toMatchObject({
      kind: 'merged',
      files: ['a.txt', 'ignored/out.js'],
      ignored: ['ignored/out.js'],
    })
    expect(ground.read('ignored/out.js')).toBe('built')
    expect(ground.git('show', '--format=', '--name-only', 'HEAD').trim()).toBe('a.txt')
    expect(ground.git('status', '--porcelain')).toBe('')
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    // Changed, undone and merged again, like any other file.
    await ground.call('s-1', 'c2', { 'ignored/out.js': 'built again' })
    expect(await ground.keeper.merge('s-1')).toMatchObject({ files: ['ignored/out.js'] })
    expect(ground.read('ignored/out.js')).toBe('built again')
    await ground.keeper.rollback('s-1', {})
    expect(await ground.keeper.merge('s-1')).toMatchObject({ files: ['a.txt', 'ignored/out.js'] })
    expect(ground.exists('ignored/out.js')).toBe(false)
  })

  it('does not overwrite ignored files of a person', async () => {
    for (const git of [true, false]) {
      const ground = createGround({ git })
      ground.write('.gitignore', 'ignored/\n')
      await ground.prepare('s-1')
      ground.write('ignored/.env', 'mine')
      await ground.call('s-1', 'c1', { 'ignored/.env': 'theirs', 'b.txt': 'new' })
      const refused = { kind: 'conflicts', files: ['ignored/.env'] }
      expect(await ground.keeper.merge('s-1')).toEqual(refused)
      expect(await ground.keeper.merge('s-1', { commit: false })).toEqual(refused)
      expect(ground.read('ignored/.env')).toBe('mine')
      expect(ground.exists('b.txt') && ground.read('b.txt') === 'new').toBe(false)
      // Not even if the session changes the ignore rules.
      await ground.call('s-1', 'c2', { '.gitignore': '' })
      expect((await ground.keeper.merge('s-1')).kind).toMatch(/conflicts|dirty/)
      expect(ground.read('ignored/.env')).toBe('mine')
    }
  })

  it('includes ignored files that a command created if a person requests them', async () => {
    const ground = createGround()
    const folder = await ground.prepare('s-1')
    mkdirSync(path.join(folder, 'ignored/deep'), { recursive: true })
    writeFileSync(path.join(folder, 'ignored/deep/x'), 'x')
    writeFileSync(path.join(folder, 'ignored/y'), 'y')
    expect((await ground.keeper.state('s-1')).ignored).toEqual(['ignored/'])
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'nothing' })
    await expect(ground.keeper.merge('s-1', { include: ['no'] })).rejects.toThrow('has no ignored file "no"')
    const merged = await ground.keeper.merge('s-1', { include: ['ignored/deep'] })
    expect(merged).toMatchObject({ files: ['ignored/deep/x'] })
    expect(ground.read('ignored/deep/x')).toBe('x')
    expect(ground.exists('ignored/y')).toBe(false)
    expect((await ground.keeper.state('s-1')).ignored).toEqual(['ignored/y'])
  })

  it('passes ignored files that a tool named through workspaces, and keeps those of commands', async () => {
    const ground = createGround()
    const above = await ground.prepare('s-1')
    const folder = await ground.prepare('s-2', above)
    await ground.call('s-2', 'c1', { 'ignored/out.js': 'built' })
    mkdirSync(path.join(folder, 'ignored/modules'))
    writeFileSync(path.join(folder, 'ignored/modules/m'), 'm')
    const returns = { kind: 'own', session: 's-2', base: above, returns: true } as const
    const settled = await ground.keeper.settle(ground.spec('s-2', { isolation: returns }), 'completed')
    expect(settled?.message).toContain(`they stay in ${folder}: ignored/modules/.`)
    expect(settled?.isMissing).toBeUndefined()
    expect(await ground.keeper.leave('s-2')).toBe(false)
    expect(existsSync(path.join(folder, 'ignored/modules/m'))).toBe(true)
    expect(await ground.keeper.leave('s-2', { discards: 'ignored' })).toBe(true)
    expect(await ground.keeper.merge('s-1')).toMatchObject({ files: ['ignored/out.js'] })
    expect(ground.read('ignored/out.js')).toBe('built')
    // Dependent work starts with it, even if it is not merged.
    const bare = createGround({ git: false })
    bare.write('.gitignore', 'ignored/\n')
    await bare.prepare('s-1')
    await bare.call('s-1', 'c1', { 'ignored/out.js': 'built' })
    const next = await bare.prepare('s-2', bare.project, ['s-1'])
    expect(readFileSync(path.join(next, 'ignored/out.js'), 'utf8')).toBe('built')
  })

  it('reports conflicting files and changes nothing', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'a.txt': 'agent\n', 'c.txt': 'c', 'b.txt': 'b2\n' })
    ground.write('a.txt', 'person\n')
    ground.write('b.txt', 'b3\n')
    ground.git('commit', '-qam', 'meanwhile')
    const before = [ground.git('rev-parse', 'HEAD'), readFileSync(ground.at('.git', 'index')).toString('hex')]
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'conflicts', files: ['a.txt', 'b.txt'] })
    expect(await ground.keeper.merge('s-1', { commit: false })).toEqual({
      kind: 'conflicts',
      files: ['a.txt', 'b.txt'],
    })
    expect([
      ground.git('rev-parse', 'HEAD'),
      readFileSync(ground.at('.git', 'index')).toString('hex'),
    ]).toEqual(before)
    expect(ground.read('a.txt')).toBe('person\n')
    expect(ground.exists('c.txt')).toBe(false)
    expect(ground.git('status', '--porcelain')).toBe('')
  })

  it('refuses to overwrite uncommitted files', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'a.txt': 'agent\n', 'new.txt': 'agent' })
    ground.write('a.txt', 'one\ntwo\nthree\nfour\n')
    ground.write('new.txt', 'person')
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'dirty', files: ['a.txt', 'new.txt'] })
    expect(ground.read('new.txt')).toBe('person')
    // Existing files with the same content are no conflict.
    ground.write('new.txt', 'agent')
    ground.git('checkout', '-q', 'a.txt')
    expect(await ground.keeper.merge('s-1')).toMatchObject({ kind: 'merged' })
    expect(ground.git('status', '--porcelain')).toBe('')
  })

  it('waits for a merge that a person has not finished', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'x.txt': 'x' })
    writeFileSync(ground.at('.git', 'MERGE_HEAD'), ground.git('rev-parse', 'HEAD'))
    await expect(ground.keeper.merge('s-1')).rejects.toThrow('a merge is in progress here')
  })

  it('without a commit changes only files, and respects uncommitted ones', async () => {
    const ground = createGround()
    ground.write('a.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n')
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\n7\n', 'n.txt': 'n' })
    ground.write('a.txt', '1\ntwo\nthree\nfour\nfive\nsix\nseven\n')
    expect(await ground.keeper.merge('s-1', { commit: false })).toMatchObject({ files: ['a.txt', 'n.txt'] })
    expect(ground.read('a.txt')).toBe('1\ntwo\nthree\nfour\nfive\nsix\n7\n')
    expect(ground.git('status', '--porcelain')).toBe(' M a.txt\n?? n.txt\n')
    expect(ground.git('log', '--format=%s').trim()).toBe('first')
  })

  it('merges later changes in a second merge', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'x.txt': '1' })
    await ground.keeper.merge('s-1')
    ground.write('x.txt', '1 and mine')
    ground.git('commit', '-qam', 'mine')
    await ground.call('s-1', 'c2', { 'y.txt': '2' })
    expect(await ground.keeper.merge('s-1')).toMatchObject({ kind: 'merged', files: ['y.txt'] })
    expect(ground.read('x.txt')).toBe('1 and mine')
  })

  it('merges the files of a separate repository back into the folder, with the same checks', async () => {
    const ground = createGround({ git: false })
    ground.write('a.txt', 'one\n')
    ground.write('b.txt', 'b\n')
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'a.txt': 'two\n', 'c/d.txt': 'd', 'b.txt': null })
    ground.write('a.txt', 'mine\n')
    const before = [ground.read('a.txt'), ground.read('b.txt')]
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'conflicts', files: ['a.txt'] })
    expect([ground.read('a.txt'), ground.read('b.txt')]).toEqual(before)
    expect(ground.exists('c')).toBe(false)
    ground.write('a.txt', 'one\n')
    ground.write('other.txt', 'o')
    expect(await ground.keeper.merge('s-1')).toEqual({ kind: 'merged', files: ['a.txt', 'b.txt', 'c/d.txt'] })
    expect([ground.read('a.txt'), ground.exists('b.txt'), ground.read('c/d.txt')]).toEqual([
      'two\n',
      false,
      'd',
    ])
    expect(ground.read('other.txt')).toBe('o')
    expect(ground.exists('.git')).toBe(false)
  })

  it('goes into the workspace of the parent session, as a commit there', async () => {
    const ground = createGround()
    const above = await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'above.txt': 'a' })
    const below = await ground.prepare('s-2', above)
    expect(existsSync(path.join(below, 'above.txt'))).toBe(true)
    await ground.call('s-2', 'c1', { 'below.txt': 'b' })
    expect(await ground.keeper.merge('s-2')).toMatchObject({ kind: 'merged', files: ['below.txt'] })
    expect(readFileSync(path.join(above, 'below.txt'), 'utf8')).toBe('b')
    expect((await ground.keeper.diff('s-1')).steps.map(({ subject }) => subject)).toEqual([
      'write_file above.txt',
      'Work of builder (s-2)',
    ])
    expect(ground.exists('below.txt')).toBe(false)
  })
})

describe('rolling back', () => {
  const fill = async (ground: ReturnType<typeof createGround>) => {
    await ground.prepare('s-1')
    for (const id of ['c1', 'c2', 'c3']) await ground.call('s-1', id, { [`${id}.txt`]: id })
  }
  const names = (ground: ReturnType<typeof createGround>) =>
    ground.keeper.state('s-1').then(({ files }) => files)

  it('undoes one call of three, with a commit', async () => {
    const ground = createGround()
    await fill(ground)
    expect(await ground.keeper.rollback('s-1', { call: 'c2' })).toMatchObject({
      kind: 'undone',
      files: ['c2.txt'],
    })
    expect(await names(ground)).toEqual(['c1.txt', 'c3.txt'])
    expect(existsSync(ground.home.at('workspaces', 's-1', 'c2.txt'))).toBe(false)
    expect((await ground.keeper.diff('s-1')).steps).toHaveLength(4)
    expect(await ground.keeper.rollback('s-1', { call: 'c2' })).toEqual({ kind: 'nothing' })
    await expect(ground.keeper.rollback('s-1', { call: 'c9' })).rejects.toThrow(/Calls that did: c1, c2, c3/)
    await ground.call('s-1', 'c4', { 'c2.txt': 'again' })
    expect(await names(ground)).toContain('c2.txt')
  })

  it('undoes a session, including its uncommitted changes', async () => {
    const ground = createGround()
    await fill(ground)
    writeFileSync(ground.home.at('workspaces', 's-1', 'rest.txt'), 'r')
    expect((await ground.keeper.rollback('s-1', {})).kind).toBe('undone')
    expect(await names(ground)).toEqual([])
    expect((await ground.keeper.state('s-1')).state).toBe('empty')
  })

  it('undoes only what a session did in the workspace of another', async () => {
    const ground = createGround()
    await fill(ground)
    const guest = ground.spec('s-1', { id: 'guest-1' })
    writeFileSync(path.join(guest.workspace, 'g.txt'), 'g')
    const { callOf } = await import('./workspaces.spec-helpers.ts')
    await ground.keeper.commitCall(guest, callOf('c1', ['g.txt']), never)
    expect(await ground.keeper.rollback('s-1', { session: 'guest-1' })).toMatchObject({ files: ['g.txt'] })
    expect(await names(ground)).toHaveLength(3)
  })

  it('refuses if a later change depends on it, and names it', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'x.txt': 'one\n' })
    await ground.call('s-1', 'c2', { 'x.txt': 'two\n' })
    const result = await ground.keeper.rollback('s-1', { call: 'c1' })
    expect(result).toMatchObject({ kind: 'in_the_way', files: ['x.txt'], by: [{ call: 'c2' }] })
    expect(readFileSync(ground.home.at('workspaces', 's-1', 'x.txt'), 'utf8')).toBe('two\n')
    await ground.keeper.rollback('s-1', { call: 'c2' })
    expect(readFileSync(ground.home.at('workspaces', 's-1', 'x.txt'), 'utf8')).toBe('one\n')
    expect((await ground.keeper.rollback('s-1', { call: 'c1' })).kind).toBe('undone')
  })

  it('is merged like any other change', async () => {
    const ground = createGround()
    await fill(ground)
    await ground.keeper.merge('s-1')
    await ground.keeper.rollback('s-1', { call: 'c2' })
    expect(await ground.keeper.merge('s-1')).toMatchObject({ kind: 'merged', files: ['c2.txt'] })
    expect(ground.exists('c2.txt')).toBe(false)
    expect(ground.exists('c1.txt')).toBe(true)
  })
})

describe('leftovers', () => {
  it('are removed if nothing would be lost, and stay otherwise', async () => {
    const ground = createGround()
    for (const session of ['empty-1', 'merged-1', 'open-1', 'hand-1', 'ignored-1'])
      await ground.prepare(session)
    for (const session of ['merged-1', 'open-1', 'hand-1'])
      await ground.call(session, 'c1', { [`${session}.txt`]: 'x' })
    await ground.keeper.merge('merged-1')
    ground.git('merge', '-q', '--no-edit', 'cadre/hand-1')
    const gone = await Promise.all(
      ['empty-1', 'merged-1', 'open-1', 'hand-1'].map((session) => ground.keeper.leave(session)),
    )
    expect(gone).toEqual([true, true, false, true])
    expect((await ground.keeper.list()).map(({ session }) => session)).toEqual(['open-1', 'ignored-1'])
    expect(ground.git('branch', '--list', 'cadre/*')).toMatch(/^. cadre\/ignored-1\n. cadre\/open-1\n$/)
    expect(ground.git('worktree', 'list').trim().split('\n')).toHaveLength(3)
  })

  it('of a deleted folder are removed from git, and no other worktree is', async () => {
    const ground = createGround()
    const folder = await ground.prepare('s-1')
    const mine = path.join(ground.home.path, '..', 'mine')
    ground.git('worktree', 'add', '-q', mine, '-b', 'mine')
    rmSync(folder, { recursive: true })
    rmSync(mine, { recursive: true })
    expect(await ground.keeper.leave('s-1')).toBe(true)
    expect(ground.git('worktree', 'list', '--porcelain')).toContain('branch refs/heads/mine')
    expect(ground.git('branch', '--list', 'cadre/*')).toBe('')
  })

  it('of a session that was never recorded are listed, and can be removed', async () => {
    const ground = createGround()
    await ground.prepare('s-1')
    await ground.call('s-1', 'c1', { 'x.txt': 'x' })
    mkdirSync(ground.home.folder('sessions'), { recursive: true })
    expect(await ground.keeper.list()).toMatchObject([{ session: 's-1', life: 'sleeping', state: 'open' }])
    await ground.keeper.remove('s-1')
    expect(await ground.keeper.list()).toEqual([])
    expect(() => ground.keeper.find('s-1')).toThrow('does not have its own workspace')
  })
})
