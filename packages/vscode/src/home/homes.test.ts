import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LogOutputChannel, WorkspaceFolder } from 'vscode'

// The parts of VS Code that the file uses, which exist only in its extension host. Counts undisposed objects.
const host = vi.hoisted(() => {
  const open = new Set<object>()
  const tracked = () => {
    const one = { dispose: () => void open.delete(one) }
    open.add(one)
    return one
  }
  class EventEmitter {
    readonly #listeners = new Set<(value: unknown) => void>()
    event = (listener: (value: unknown) => void) => {
      this.#listeners.add(listener)
      return tracked()
    }
    fire = (value: unknown) => {
      for (const listener of this.#listeners) listener(value)
    }
    dispose = () => this.#listeners.clear()
  }
  class RelativePattern {
    readonly baseUri: { fsPath: string }
    readonly pattern: string
    constructor(base: { uri?: { fsPath: string }; fsPath?: string }, pattern: string) {
      this.baseUri = base.uri ?? (base as { fsPath: string })
      this.pattern = pattern
    }
  }
  const watchers: { pattern: RelativePattern; changed: EventEmitter }[] = []
  const folders: { uri: { scheme: string; fsPath: string }; name: string; index: number }[] = []
  const workspace = {
    isTrusted: true,
    workspaceFolders: folders,
    getWorkspaceFolder: ({ fsPath }: { fsPath: string }) => folders.find(({ uri }) => uri.fsPath === fsPath),
    onDidChangeWorkspaceFolders: tracked,
    onDidGrantWorkspaceTrust: tracked,
    createFileSystemWatcher(pattern: RelativePattern) {
      const changed = new EventEmitter()
      watchers.push({ pattern, changed })
      return { ...tracked(), onDidCreate: changed.event, onDidChange: tracked, onDidDelete: tracked }
    },
  }
  const Disposable = {
    from: (...all: { dispose(): void }[]) => ({ dispose: () => all.forEach((one) => void one.dispose()) }),
  }
  const Uri = { file: (fsPath: string) => ({ scheme: 'file', fsPath, toString: () => `file://${fsPath}` }) }
  return { open, watchers, folders, api: { EventEmitter, RelativePattern, workspace, Disposable, Uri } }
})
vi.mock('vscode', () => host.api)
// Earlier test files may have loaded these modules with another VS Code mock.
vi.resetModules()

const { createHomes } = await import('./homes.ts')
const { sessionFolderOf } = await import('../chat/session-folder-of.ts')
const log = { warn: () => {} } as unknown as LogOutputChannel

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-homes-')))
  host.open.clear()
  host.watchers.length = 0
  host.folders.splice(0, Number.POSITIVE_INFINITY, folderAt(root))
  host.api.workspace.isTrusted = true
  vi.stubEnv('HOME', path.join(root, 'user'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

function folderAt(place: string): WorkspaceFolder & { uri: { scheme: string; fsPath: string } } {
  return { uri: host.api.Uri.file(place), name: 'x', index: 0 } as unknown as WorkspaceFolder
}
const [at, make] = [
  (...names: string[]) => path.join(root, ...names),
  (...names: string[]) => void mkdirSync(path.join(root, ...names), { recursive: true }),
]

test('reading creates no home', async () => {
  const homes = createHomes(log)
  expect(await homes.open(folderAt(root))).toBeUndefined()
  expect(await homes.list()).toEqual({ trusted: [], untrusted: [] })
  expect(homes.mayWait()).toBe(false)
  expect(() => realpathSync(at('.cadre'))).toThrow('ENOENT')
  homes.dispose()
})

test('does not open a foreign home, and uses nothing in a restricted workspace', async () => {
  make('.cadre', 'approvals', 'pending')
  writeFileSync(at('.cadre', 'approvals', 'pending', 'approval-1-2.approval.md'), '')
  const homes = createHomes(log)
  expect(await homes.open(folderAt(root))).toBeUndefined()
  expect((await homes.list()).untrusted).toHaveLength(1)
  expect(homes.mayWait()).toBe(true)
  host.api.workspace.isTrusted = false
  expect(await homes.list()).toEqual({ trusted: [], untrusted: [] })
  expect(homes.mayWait()).toBe(false)
  homes.dispose()
})

test('batches changes, includes a home that is created later, and leaves nothing when disposed', async () => {
  const homes = createHomes(log)
  const [watcher] = host.watchers
  expect(watcher?.pattern.pattern).toContain('.cadre/sessions/**')
  let count = 0
  homes.onDidChange(() => count++)
  for (let n = 0; n < 100; n++) watcher?.changed.fire(host.api.Uri.file(at('.cadre', 'sessions', `${n}`)))
  watcher?.changed.fire(host.api.Uri.file(at('.cadre', 'sessions', '.draft.tmp')))
  while (count === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(count).toBe(1)
  host.folders.length = 0
  await homes.list()
  homes.dispose()
  // A listener's own registration remains.
  expect(host.open.size).toBe(1)
})

test('watches a home above the folder', () => {
  make('.git')
  make('.cadre')
  make('src')
  host.folders.splice(0, Number.POSITIVE_INFINITY, folderAt(at('src')))
  const homes = createHomes(log)
  expect(host.watchers[0]?.pattern).toMatchObject({ baseUri: { fsPath: at('.cadre') } })
  expect(host.watchers[0]?.pattern.pattern).toContain('sessions/**')
  homes.dispose()
  expect(host.open.size).toBe(0)
})

test('finds a session in any home of the workspace, with its folder', async () => {
  const run = async (name: string) => {
    const cwd = at(name)
    writeFileSync(path.join(cwd, 'p.yaml'), JSON.stringify({ lanes: { assistant: [{ reply: 'Done.' }] } }))
    const { createRuntime } = await import('@cadre/runtime')
    const runtime = await createRuntime({
      environment: { cwd, env: process.env, warn: () => {} },
      model: 'scripted:p.yaml',
    })
    const result = await runtime.run('Do it.')
    await runtime.close()
    return result.kind === 'report' ? result.report.session : expect.fail('it should end')
  }
  for (const name of ['one/.git', 'both/.git', 'both/a', 'both/b']) make(name)
  const shared = await run('both')
  const session = await run('one')
  const below = await run('both/b')
  host.folders.splice(
    0,
    Number.POSITIVE_INFINITY,
    ...['both/a', 'both/b', 'one'].map((name) => folderAt(at(name))),
  )
  const homes = createHomes(log)
  const folderOf = async (id: string) => (await sessionFolderOf({ homes }, id))?.uri.fsPath
  expect(await folderOf(session)).toBe(at('one'))
  expect(await folderOf(below)).toBe(at('both', 'b'))
  expect(await folderOf(shared)).toBe(at('both', 'a'))
  expect(await folderOf('nobody-1')).toBeUndefined()
  homes.dispose()
})
