import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { createPathResolver, invalidPathReason } from '@cadre/gate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTools } from '../create-tools.ts'
import { makeFolder, withPinnedFolder } from '../search/with-pinned-folder.ts'
import { confinePath } from './confine-path.ts'
import { openRegularFile } from './open-file.ts'
import { replaceFile } from './replace-file.ts'
import { temporaryWorkspace, type Workspace } from './workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace()
  writeFileSync(path.join(ws.outer, 'secret.txt'), 'the secret')
  mkdirSync(path.join(ws.outer, 'elsewhere'))
  ws.write('src/a.txt', 'inside')
})
afterEach(() => ws[Symbol.dispose]())

/** Every tool that opens or creates what its `path` names, with its other arguments. */
const attacked: { readonly [tool: string]: object } = {
  read_file: {},
  view_image: {},
  write_file: { content: 'x' },
  edit_file: { old: 'the secret', new: 'x' },
  create_directory: {},
}
/** Tools that list or search a folder, or start a program in it. Their own tests attack their paths. */
const ofFolders = ['list_directory', 'find_files', 'search_files', 'get_errors', 'execute_command']

it('every tool with paths is attacked', () => {
  const missing = createTools().flatMap(({ name, paths }) =>
    paths === undefined || name in attacked || ofFolders.includes(name) ? [] : [name],
  )
  expect(missing, 'add the tool to `attacked` here, with its other arguments').toEqual([])
})

const place = (request: { path: string; write?: boolean; workspace?: string }) =>
  createPathResolver().judge({ workspace: ws.root, write: false, ...request })
const link = (target: string, at: string) => symlinkSync(target, path.join(ws.root, at))

describe('paths that lead outside', () => {
  it.each([
    '../secret.txt',
    'src/../../secret.txt',
    'src/./.././../secret.txt',
    './/..//secret.txt',
    '..\\secret.txt',
    'src\\..\\..\\secret.txt',
    'missing/../../secret.txt',
    '/etc/passwd',
    '//etc/passwd',
    '/proc/self/root/etc/passwd',
    '/proc/self/environ',
    '/dev/zero',
    '..',
    '../workspace-two/a.txt',
    '~/secret.txt',
    '~',
    'file:///etc/passwd',
    'a\0b',
    '',
    `${'a/'.repeat(3_000)}b`,
    'n'.repeat(300),
  ])('%j is refused for reading and writing, and nothing is created', async (given) => {
    const read = await ws.call('read_file', { path: given })
    expect(read.failed).toBe(true)
    expect(read.content).not.toContain('the secret')
    for (const [name, rest] of Object.entries(attacked))
      expect(await ws.call(name, { path: given, ...rest }), name).toMatchObject({ failed: true })
    expect(execFileSync('cat', [path.join(ws.outer, 'secret.txt')], { encoding: 'utf8' })).toBe('the secret')
  })

  it('a neighbour whose name starts with the name of the workspace is outside', async () => {
    mkdirSync(`${ws.root}-two`)
    writeFileSync(`${ws.root}-two/a.txt`, 'neighbour')
    expect(place({ path: `${ws.root}-two/a.txt` })).toMatchObject({
      kind: 'outside',
    })
  })

  it.each([
    ['a link to a file outside', ['../secret.txt', 'link'], 'link'],
    ['an absolute link', ['OUTER/secret.txt', 'link'], 'link'],
    ['a link to a folder outside', ['..', 'up'], 'up/secret.txt'],
    ['a link to a link', ['../secret.txt', 'one', 'one', 'two'], 'two'],
    ['a dangling link, outside', ['../elsewhere/new.txt', 'new'], 'new'],
    ['a link and then ..', ['../elsewhere', 'else'], 'else/../../secret.txt'],
    ['a link to /proc', ['/proc/self/cwd', 'cwd'], 'cwd/package.json'],
    ['a loop', ['loop-b', 'loop-a', 'loop-a', 'loop-b'], 'loop-a'],
    ['a link to itself', ['self', 'self'], 'self/a'],
  ])('%s is refused', async (_, links, given) => {
    for (let at = 0; at < links.length; at += 2) link(links[at]!.replace('OUTER', ws.outer), links[at + 1]!)
    expect(place({ path: given, write: true }).kind).not.toBe('inside')
    for (const [name, rest] of Object.entries(attacked)) {
      const { content, failed } = await ws.call(name, { path: given, ...rest })
      expect(failed, name).toBe(true)
      expect(content, name).not.toContain('the secret')
    }
    expect(await ws.call('list_directory', { path: path.dirname(given) })).not.toMatchObject({
      content: expect.stringContaining('secret.txt'),
    })
  })
})

describe('paths that stay inside', () => {
  it.each(['src/a.txt', './src/a.txt', 'src/../src/a.txt', 'src\\a.txt', 'src//a.txt'])(
    '%j is the file',
    async (given) => {
      expect(place({ path: given })).toMatchObject({
        kind: 'inside',
        shown: 'src/a.txt',
      })
      expect(await ws.call('read_file', { path: given })).toEqual({ content: 'inside' })
    },
  )

  it('an absolute path is the file, even if the workspace is named through a link', async () => {
    symlinkSync(ws.root, path.join(ws.outer, 'alias'))
    const alias = path.join(ws.outer, 'alias')
    expect(place({ workspace: alias, path: path.join(ws.root, 'src/a.txt') })).toMatchObject({
      kind: 'inside',
    })
    expect(place({ workspace: alias, path: path.join(alias, 'src/a.txt') })).toMatchObject({
      kind: 'inside',
      shown: 'src/a.txt',
    })
  })

  it('a link within the workspace is followed and stays a link', async () => {
    link('src/a.txt', 'link')
    await ws.call('write_file', { path: 'link', content: 'through the link' })
    expect(ws.read('src/a.txt')).toBe('through the link')
    expect(execFileSync('readlink', [path.join(ws.root, 'link')], { encoding: 'utf8' }).trim()).toBe(
      'src/a.txt',
    )
  })

  it('a link to a missing file inside creates that file', async () => {
    link('src/new.txt', 'link')
    await ws.call('write_file', { path: 'link', content: 'made' })
    expect(ws.read('src/new.txt')).toBe('made')
  })

  it.skipIf(process.platform === 'win32')('a name with a backslash in it can be read', async () => {
    ws.write('odd\\name.txt', 'odd')
    expect(await ws.call('read_file', { path: 'odd\\name.txt' })).toEqual({ content: 'odd' })
  })
})

describe.skipIf(process.platform === 'win32')('things that are not files', () => {
  it('a pipe is refused immediately, whatever is at its other end', async () => {
    execFileSync('mkfifo', [path.join(ws.root, 'pipe')])
    for (const [name, rest] of Object.entries(attacked))
      expect(await ws.call(name, { path: 'pipe', ...rest }), name).toMatchObject({ failed: true })
    const named = await ws.call('search_files', { query: 'x', path: 'pipe' })
    expect(named.failed === true || named.content.startsWith('No matches')).toBe(true)
    expect(await ws.call('search_files', { query: 'x' })).toMatchObject({
      content: expect.stringMatching(/^No matches/),
    })
  })

  it('a socket and a device behind a link are refused', async () => {
    const server = createServer().listen(path.join(ws.root, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    expect(await ws.call('read_file', { path: 'socket' })).toMatchObject({
      failed: true,
      content: expect.stringContaining('socket'),
    })
    server.close()
    link('/dev/zero', 'zero')
    expect(await ws.call('read_file', { path: 'zero' })).toMatchObject({ failed: true })
  })

  it('a folder is refused with a hint how to list it', async () => {
    expect((await ws.call('read_file', { path: 'src' })).content).toContain('list_directory')
    expect(await ws.call('write_file', { path: 'src', content: 'x' })).toMatchObject({ failed: true })
    expect(await ws.call('write_file', { path: '.', content: 'x' })).toMatchObject({ failed: true })
  })
})

describe('protected paths', () => {
  it.each([
    '.git/config',
    '.git',
    '.GIT/hooks/pre-commit',
    'sub/.git/config',
    'git~1/config',
    '.g\u200cit/config',
    '.cadre/storage/policy.yaml',
    '.cadre/sessions/other.session.yaml',
    '.Cadre/config.yaml',
    '.github/agents/lead.agent.md',
    '.github/AGENTS/lead.agent.md',
    '.github/hooks/pre.json',
    '.github/copilot/settings.json',
    '.vscode/settings.json',
    '.vscode/launch.json',
    'opencode.json',
    '.claude/settings.json',
    'packages/one/.claude/agents/a.md',
    '.config/cadre/policy.yaml',
  ])('%s cannot be written, with any tool', async (given) => {
    for (const [name, rest] of Object.entries(attacked).filter(([tool]) => ws.tool(tool).effect === 'write'))
      expect(await ws.call(name, { path: given, ...rest }), name).toMatchObject({
        failed: true,
        content: expect.stringContaining('may not change'),
      })
    expect(
      await ws.call('apply_patch', { input: `*** Begin Patch\n*** Add File: ${given}\n+x\n*** End Patch` }),
    ).toMatchObject({ failed: true })
  })

  it.each(['.vscode/extensions.json', '.github/workflows/ci.yml', '.gitignore', 'git/a', 'cadre/a'])(
    '%s can be written',
    async (given) => {
      expect(await ws.call('write_file', { path: given, content: 'x' })).not.toHaveProperty('failed')
    },
  )

  it('a link does not bypass it', async () => {
    mkdirSync(path.join(ws.root, '.git'))
    link('.git', 'innocent')
    expect(await ws.call('write_file', { path: 'innocent/config', content: 'x' })).toMatchObject({
      failed: true,
    })
  })

  it('moving a file into or out of a protected folder is refused', async () => {
    ws.write('.claude/agents/a.md', 'agent\n')
    const patch = (from: string, to: string) => ({
      input: `*** Begin Patch\n*** Update File: ${from}\n*** Move to: ${to}\n*** End Patch`,
    })
    expect(await ws.call('apply_patch', patch('.claude/agents/a.md', 'a.md'))).toMatchObject({ failed: true })
    expect(await ws.call('apply_patch', patch('src/a.txt', '.claude/agents/b.md'))).toMatchObject({
      failed: true,
    })
    expect(ws.read('.claude/agents/a.md')).toBe('agent\n')
  })

  it('a home of any name, even behind a link, and additional paths of the caller', async () => {
    mkdirSync(path.join(ws.root, 'my-home'))
    symlinkSync(path.join(ws.root, 'my-home'), path.join(ws.outer, 'home-link'))
    using other = temporaryWorkspace({
      home: path.join(ws.outer, 'home-link'),
      protectedPath: ({ shown }) => (shown === 'LICENSE' ? 'LICENSE is for lawyers.' : undefined),
    })
    const at = (file: string) =>
      other
        .tool('write_file')
        .run(
          { path: file, content: 'x' },
          { session: '', agent: '', call: '', key: file, workspace: ws.root },
          new AbortController().signal,
        )
    expect(await at('my-home/storage/policy.yaml')).toMatchObject({ failed: true })
    expect(await at('LICENSE')).toEqual({ failed: true, content: 'LICENSE is for lawyers.' })
    // The workspace of another session.
    expect(await at('my-home/workspaces/a/b.txt')).toMatchObject({ failed: true })
  })

  it('reading them is permitted', async () => {
    ws.write('.claude/agents/a.md', 'agent')
    expect(await ws.call('read_file', { path: '.claude/agents/a.md' })).toEqual({ content: 'agent' })
  })
})

describe('names with another meaning on Windows', () => {
  it.each([
    'C:secret',
    'con',
    'NUL.txt',
    'src\\aux',
    '\\\\server\\share\\a',
    '\\\\?\\C:\\a',
    'a.txt:stream',
    'trailing.',
    'trailing ',
    '//server/a',
    'com1.log',
  ])('%j', (given) => {
    expect(invalidPathReason(given, 'win32')).toBeDefined()
  })
  it.each(['src\\a.txt', 'C:\\work\\a.txt', '.\\a', '..\\a', 'console.log', 'a b.txt'])(
    '%j is plain',
    (given) => {
      expect(invalidPathReason(given, 'win32')).toBeUndefined()
    },
  )
})

describe('a link that is created between check and use', () => {
  /** Swaps a folder with a link to another one, and back, as fast as possible. */
  async function whileExchanging(work: () => Promise<void>) {
    const script = `
      const fs = require('fs'); const [dir, target] = process.argv.slice(1)
      process.stdout.write('ready')
      for (;;) {
        try { fs.renameSync(dir, dir + '.real'); fs.symlinkSync(target, dir); } catch {}
        try { fs.unlinkSync(dir); } catch {}
        try { fs.renameSync(dir + '.real', dir) } catch {}
      }`
    const { spawn } = await import('node:child_process')
    const other = spawn(
      process.execPath,
      ['-e', script, path.join(ws.root, 'src'), path.join(ws.outer, 'elsewhere')],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    )
    await new Promise((resolve) => other.stdout.once('data', resolve))
    try {
      await work()
    } finally {
      const gone = new Promise((resolve) => other.once('exit', resolve))
      other.kill('SIGKILL')
      await gone
    }
  }

  it('stops a read, a write and a listing whose path was checked before', async () => {
    ws.write('src/deep/a.txt', 'inside')
    const elsewhere = path.join(ws.outer, 'elsewhere/deep')
    mkdirSync(elsewhere)
    writeFileSync(path.join(elsewhere, 'a.txt'), 'foreign text')
    const context = { session: 's', agent: 'a', call: 'c', key: 'k', workspace: ws.root }
    const file = confinePath({ path: 'src/deep/a.txt', context })
    renameSync(path.join(ws.root, 'src'), path.join(ws.root, 'before'))
    link('../elsewhere', 'src')
    await expect(openRegularFile(file)).rejects.toThrow('was replaced')
    await expect(replaceFile(file, { content: 'x', key: 'k', expected: 'anything' })).rejects.toThrow()
    await expect(makeFolder(file.root, path.join(ws.root, 'src/deep/new'))).rejects.toThrow()
    const names = withPinnedFolder(path.dirname(file.real), async (base) => readdirSync(base))
    await expect(names).rejects.toThrow('was replaced')
    expect(readdirSync(elsewhere)).toEqual(['a.txt'])
    expect(readFileSync(path.join(elsewhere, 'a.txt'), 'utf8')).toBe('foreign text')
  })

  it.skipIf(process.platform !== 'linux')(
    'never lets a write reach outside, or a read come from there',
    async () => {
      writeFileSync(path.join(ws.outer, 'elsewhere/a.txt'), 'foreign text')
      const rounds = process.env['CADRE_DEEP'] ? 300 : 40
      const callAll = (round: number) =>
        Promise.all([
          ws.call('read_file', { path: 'src/a.txt' }),
          ws.call('write_file', { path: 'src/new.txt', content: `round ${round}` }),
          ws.call('create_directory', { path: `src/folder-${round}` }),
        ])
      await whileExchanging(async () => {
        for (let round = 0; round < rounds; round++) {
          const [read] = await callAll(round)
          expect(read.content).not.toContain('foreign text')
        }
      })
      const { existsSync } = await import('node:fs')
      expect(readdirSync(path.join(ws.outer, 'elsewhere'))).toEqual(['a.txt'])
      // The same calls work without interference. How many succeeded before depends on the machine.
      const src = path.join(ws.root, 'src')
      if (existsSync(`${src}.real`)) {
        rmSync(src, { recursive: true, force: true })
        renameSync(`${src}.real`, src)
      }
      const results = await callAll(rounds)
      expect(results.filter(({ failed }) => failed === true)).toEqual([])
    },
  )
})
