import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from './files/workspace.spec-helpers.ts'

let ws: Workspace
beforeEach(() => {
  ws = temporaryWorkspace({})
})
afterEach(() => ws[Symbol.dispose]())

/** True if git, started by a person in this folder, runs the program in the repository's settings. */
function isRun(folder: string): boolean {
  const at = path.join(ws.root, folder)
  mkdirSync(at, { recursive: true })
  try {
    const env = { PATH: process.env['PATH'], HOME: ws.outer, GIT_CEILING_DIRECTORIES: ws.outer }
    execFileSync('git', ['status'], { cwd: at, env, stdio: 'ignore' })
  } catch {
    // Not a repository.
  }
  return existsSync(path.join(ws.outer, 'ran'))
}

const parts = (folder: string) => ({
  HEAD: { path: path.join(folder, 'HEAD'), content: 'ref: refs/heads/main\n' },
  config: {
    path: path.join(folder, 'config'),
    content: `[core]\n\trepositoryformatversion = 0\n\tworktree = ${path.join(ws.root, folder)}\n\tfsmonitor = "touch ${ws.outer}/ran; false"\n`,
  },
  objects: { path: path.join(folder, 'objects/x'), content: 'x' },
  refs: { path: path.join(folder, 'refs/x'), content: 'x' },
})

const orders = [
  ['HEAD', 'config', 'objects', 'refs'],
  ['refs', 'objects', 'config', 'HEAD'],
  ['objects', 'HEAD', 'refs', 'config'],
] as const

describe('file tools create no git repository', () => {
  it('git would run the program that such a repository names', () => {
    for (const { path: file, content } of Object.values(parts('x'))) ws.write(file, content)
    expect(isRun('x')).toBe(true)
  })

  it.each(orders.flatMap((order) => ['', 'a/b/c'].map((folder) => [order, folder] as const)))(
    'written one after the other: %s in "%s"',
    async (order, folder) => {
      const results = []
      for (const name of order) results.push(await ws.call('write_file', parts(folder)[name]))
      expect(results.filter(({ failed }) => failed)).toHaveLength(1)
      expect(results.find(({ failed }) => failed)?.content).toContain('git repository')
      expect(isRun(folder)).toBe(false)
    },
  )

  it('written all at once', async () => {
    const results = await Promise.all(Object.values(parts('')).map((one) => ws.call('write_file', one)))
    expect(results.some(({ failed }) => failed)).toBe(true)
    expect(isRun('')).toBe(false)
  })

  it('with one patch: none of it stays', async () => {
    const added = Object.values(parts(''))
      .map(({ path: file, content }) => `*** Add File: ${file}\n${content.trimEnd().replace(/^/gm, '+')}`)
      .join('\n')
    const result = await ws.call('apply_patch', { input: `*** Begin Patch\n${added}\n*** End Patch` })
    expect(result).toMatchObject({ failed: true, content: expect.stringContaining('git repository') })
    expect(existsSync(path.join(ws.root, 'HEAD'))).toBe(false)
    expect(isRun('')).toBe(false)
  })

  it('with folders, other letters and a commondir', async () => {
    ws.write('one/HEAD', 'ref: refs/heads/main\n')
    mkdirSync(path.join(ws.root, 'one/objects'))
    for (const name of ['refs', 'Refs', 'commondir'])
      expect(await ws.call('create_directory', { path: `one/${name}` }), name).toMatchObject({ failed: true })
    expect(await ws.call('write_file', { path: 'one/commondir', content: '..' })).toMatchObject({
      failed: true,
    })
    expect(await ws.call('write_file', { path: 'one/config', content: 'x' })).not.toHaveProperty('failed')
  })

  it('and change no existing one', async () => {
    execFileSync('git', ['init', '-q', '--bare', 'store.git'], { cwd: ws.root })
    for (const file of ['HEAD', 'config', 'hooks/post-receive', 'objects/aa/x', 'new.txt', 'deep/new.txt'])
      expect(await ws.call('write_file', { path: `store.git/${file}`, content: 'x' }), file).toMatchObject({
        failed: true,
        content: expect.stringContaining('git repository'),
      })
  })

  it('and write everything else, even with these names', async () => {
    for (const file of ['HEAD', 'src/objects/a.ts', 'src/refs/b.ts', 'config', 'docs/refs'])
      expect(await ws.call('write_file', { path: file, content: 'x' }), file).not.toHaveProperty('failed')
    writeFileSync(path.join(ws.root, 'src/HEAD.md'), '')
    expect(await ws.call('write_file', { path: 'src/refs/c.ts', content: 'x' })).not.toHaveProperty('failed')
  })
})
