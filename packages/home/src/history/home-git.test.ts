import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Home } from '../home/home.ts'
import { openHome } from '../home/open-home.ts'
import { openHomeGit } from './home-git.ts'

/** For tests that take seconds: `npm test` skips them, and `npm run test:deep` runs them. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

let folder: string
let home: Home
let told: string[]

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-history-')))
  home = openHome({ home: '.cadre', cwd: folder, env: {} })
  told = []
  return () => rmSync(folder, { recursive: true, force: true })
})

const tell = (message: string) => void told.push(message)
const put = (name: string, text: string) => {
  const names = name.split('/')
  home.folder(...names.slice(0, -1))
  writeFileSync(home.at(...names), text)
}
const git = (...args: string[]) => execFileSync('git', args, { cwd: home.path, encoding: 'utf8' })
const log = () => git('log', '--format=%s').trim().split('\n')
const filesIn = (commit: string) => git('show', '--format=', '--name-only', commit).trim().split('\n').sort()
const session = (status: string, text = '') =>
  `session_id: a\nupdated: '2026-01-01T00:00:00.000Z'\nstatus: ${status.padEnd(9)} # …\nmessages:\n${text}`

describe('the history of a home', () => {
  it('starts with a commit of existing files, without excluded ones', async () => {
    put('config.yaml', 'model: a\n')
    for (const name of ['events/2026-01-01.jsonl', 'storage/wal/a', 'storage/leases/b', 'workspaces/x/y'])
      put(name, 'x')
    put('tasks/a.task.md', '- [ ] a\n')
    put('tasks/a.task.md.tmp', 'draft')
    const history = await openHomeGit(home, tell)
    await history.flush()
    expect(history.missing).toBeUndefined()
    expect(log()).toEqual(['Initial state of the home directory'])
    expect(filesIn('HEAD')).toEqual(['config.yaml', 'tasks/a.task.md'])
    expect(git('log', '-1', '--format=%an <%ae>').trim()).toBe('Cadre <cadre@localhost>')
    await history.close()
    expect(git('status', '--porcelain')).toBe('')
    expect(told).toEqual([])
  })

  inDeep('commits noted changes together, and other changes separately', async () => {
    const history = await openHomeGit(home, tell, { gather: 600_000 })
    await history.flush()
    put('tasks/a.task.md', '- [~] a\n')
    put('memory/b.md', 'by hand')
    history.note('task a was started', ['tasks/a.task.md'])
    history.note('task a was started', ['tasks/a.task.md'])
    history.note('and\nanother thing', ['tasks/gone.task.md', '../outside', '/etc/passwd'])
    await history.flush()
    expect(log()).toEqual(['unrecorded changes: memory/b.md', 'task a was started'])
    expect(git('log', '-1', '--skip=1', '--format=%b')).toContain('- and another thing\n\nNotes: 3')
    expect(filesIn('HEAD~1')).toEqual(['tasks/a.task.md'])
    await history.close()
    // Without changes there is no commit, and no commit after `close`.
    history.note('too late')
    await history.flush()
    expect(log()).toHaveLength(2)
  })

  it('commits automatically after a number of notes', async () => {
    const history = await openHomeGit(home, tell, { gather: 600_000, max: 3 })
    await history.flush()
    put('a.md', 'a')
    for (const name of ['one', 'two', 'three']) history.note(name)
    await expect.poll(log, { timeout: 20_000 }).toEqual(['one'])
    await history.close()
  })

  inDeep('commits a journal when its session is suspended or ends', async () => {
    const history = await openHomeGit(home, tell)
    await history.flush()
    put('sessions/a.session.yaml', session('active'))
    history.note('a began')
    await history.flush()
    expect(existsSync(home.at('.git', 'refs', 'heads', 'main'))).toBe(false)
    put('sessions/a.session.yaml', session('sleeping', '- x\n'))
    await history.flush()
    expect(log()).toEqual(['Initial state of the home directory'])
    put('sessions/a.session.yaml', session('active', '- x\n- y\n'))
    await history.flush()
    expect(log()).toHaveLength(1)
    await history.close()
    expect(log()).toHaveLength(2)
  })

  inDeep('does not store a large journal again for every line', async () => {
    const history = await openHomeGit(home, tell)
    put('sessions/a.session.yaml', session('sleeping', `- ${'x'.repeat(5_000_000)}\n`))
    await history.flush()
    appendFileSync(home.at('sessions', 'a.session.yaml'), '- y\n')
    await history.flush()
    expect(log()).toHaveLength(1)
    appendFileSync(home.at('sessions', 'a.session.yaml'), `- ${'y'.repeat(3_000_000)}\n`)
    await history.flush()
    expect(log()).toHaveLength(2)
    await history.close()
  })

  inDeep('removes the lock of a killed git process, and waits for a running one', async () => {
    const history = await openHomeGit(home, tell)
    await history.flush()
    put('a.md', 'a')
    writeFileSync(home.at('.git', 'index.lock'), '')
    await history.flush()
    expect(log()).toEqual(['Initial state of the home directory'])
    put('a.md', 'b')
    // A process that has the lock open.
    const holder = spawn('sh', [
      '-c',
      `exec 3>${home.at('.git', 'index.lock')}; echo ready; read x; rm ${home.at('.git', 'index.lock')}`,
    ])
    await new Promise((resolve) => holder.stdout.once('data', resolve))
    const flushed = history.flush()
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(existsSync(home.at('.git', 'index.lock'))).toBe(true)
    holder.stdin.end('\n')
    await flushed
    expect(log()).toHaveLength(2)
    await history.close()
  })

  inDeep('gets the commits of two processes, one after the other', async () => {
    const [first, second] = await Promise.all([openHomeGit(home, tell), openHomeGit(home, tell)])
    for (let i = 0; i < 5; i++) {
      put(`a${i}.md`, 'a')
      put(`b${i}.md`, 'b')
      first.note(`a${i}`, [`a${i}.md`])
      second.note(`b${i}`, [`b${i}.md`])
      await Promise.all([first.flush(), second.flush()])
    }
    await Promise.all([first.close(), second.close()])
    expect(git('ls-files').trim().split('\n')).toHaveLength(10)
    expect(git('status', '--porcelain')).toBe('')
    expect(told).toEqual([])
  })

  inDeep('runs no programs from the home', async () => {
    put('config.yaml', 'a')
    await (await openHomeGit(home, tell)).close()
    const mark = join(folder, 'ran')
    const script = `#!/bin/sh\ntouch ${mark}\ncat\n`
    for (const hook of ['pre-commit', 'post-commit', 'reference-transaction', 'post-index-change']) {
      mkdirSync(home.at('.git', 'hooks'), { recursive: true })
      writeFileSync(home.at('.git', 'hooks', hook), script, { mode: 0o755 })
    }
    writeFileSync(join(folder, 'run'), script, { mode: 0o755 })
    git('config', 'core.fsmonitor', join(folder, 'run'))
    put('memory/nested/.git/HEAD', 'ref: refs/heads/main\n')
    put('memory/nested/a', 'x')
    put('memory/new\nline "and" -rf.md', 'x')
    const history = await openHomeGit(home, tell)
    put('b.md', 'b')
    history.note('--amend')
    await history.close()
    expect(existsSync(mark)).toBe(false)
    expect(git('-c', 'core.fsmonitor=false', 'ls-files', '-z').split('\0')).toContain(
      'memory/new\nline "and" -rf.md',
    )
    expect(told).toEqual([])
  })

  it('reports once that git is missing, and everything else continues', async () => {
    const before = process.env['PATH']
    process.env['PATH'] = join(folder, 'empty')
    try {
      const history = await openHomeGit(home, tell)
      expect(history.missing).toContain('git is not in PATH')
      history.note('a')
      await history.flush()
      await history.close()
      expect(told).toEqual([history.missing])
    } finally {
      process.env['PATH'] = before
    }
  })

  inDeep('reports once that it cannot write, and commits when it can again', async () => {
    const history = await openHomeGit(home, tell)
    put('a.md', 'a')
    await history.flush()
    put('a.md', 'b')
    rmSync(home.at('.git', 'objects'), { recursive: true })
    await history.flush()
    put('a.md', 'c')
    await history.flush()
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/^Cannot commit changes in .*: .*Cadre retries/)
    rmSync(home.at('.git'), { recursive: true })
    await (await openHomeGit(home, tell)).close()
    expect(log()).toEqual(['Initial state of the home directory'])
    await history.close()
  })

  it.skipIf(process.getuid?.() === 0)('is missing in a read-only home', async () => {
    home.folder('storage')
    chmodSync(home.at('storage'), 0o500)
    const history = await openHomeGit(home, tell)
    chmodSync(home.at('storage'), 0o700)
    expect(history.missing).toContain('does not record the git history')
  })

  it('waits for permission before the first commit, and makes later ones immediately', async () => {
    put('a.md', 'a')
    let begin = () => {}
    const beginsAfter = new Promise<void>((resolve) => {
      begin = resolve
    })
    const history = await openHomeGit(home, tell, { beginsAfter })
    const flushed = history.flush()
    expect(existsSync(home.at('.git', 'index'))).toBe(false)
    begin()
    await flushed
    await history.close()
    expect(log()).toEqual(['Initial state of the home directory'])
    put('a.md', 'b')
    const never = await openHomeGit(home, tell, { beginsAfter: new Promise(() => {}) })
    await never.close()
    expect(log()).toHaveLength(2)
  })

  inDeep('keeps the user’s lines in the ignore rules', async () => {
    await (await openHomeGit(home, tell)).close()
    writeFileSync(home.at('.git', 'info', 'exclude'), 'mine\n/events/')
    await (await openHomeGit(home, tell)).close()
    const lines = readFileSync(home.at('.git', 'info', 'exclude'), 'utf8').split('\n')
    expect(lines.slice(0, 2)).toEqual(['mine', '/events/'])
    expect(lines.filter((line) => line === '/events/')).toHaveLength(1)
  })
})
