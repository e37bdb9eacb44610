import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { JudgedCall, SessionSpec } from '@cadre/core'
import { type Home, openHome } from '@cadre/home'
import { onTestFinished } from 'vitest'
import { createWorkspaces, type WorkspaceKeeper } from './create-workspaces.ts'
import { rememberFolder } from './remember-folder.spec-helpers.ts'

export const neverAborted = new AbortController().signal

/** A project with a home in it, under git or not. */
export interface WorkspaceFixture {
  readonly project: string
  readonly home: Home
  readonly keeper: WorkspaceKeeper
  at(...names: string[]): string
  write(name: string, text: string): void
  read(name: string): string
  exists(name: string): boolean
  git(...args: string[]): string
  /** Creates a session's workspace, and returns its folder. */
  prepare(session: string, base?: string, from?: readonly string[]): Promise<string>
  /** Writes files in a workspace as a call of that session, and commits them. */
  call(session: string, id: string, files: Readonly<Record<string, string | null>>): Promise<void>
  spec(session: string, more?: Partial<SessionSpec>): SessionSpec
}

export function createWorkspaceFixture({ git = true, home: name = '.cadre' } = {}): WorkspaceFixture {
  const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-ground-')))
  onTestFinished(() => rmSync(project, { recursive: true, force: true, maxRetries: 5 }))
  const home = openHome({ home: name, cwd: project, env: {} })
  const at = (...names: string[]) => path.join(project, ...names)
  const keeper = createWorkspaces({ home })
  const fixture: WorkspaceFixture = {
    project,
    home,
    keeper,
    at,
    write(file, text) {
      mkdirSync(path.dirname(at(file)), { recursive: true })
      writeFileSync(at(file), text)
    },
    read: (file) => readFileSync(at(file), 'utf8'),
    exists: (file) => statSync(at(file), { throwIfNoEntry: false }) !== undefined,
    git: (...args) => gitIn(project, ...args),
    async prepare(session, base = project, from) {
      const request = { session, root: session, agent: 'builder', base, ...(from && { from }) }
      const prepared = await keeper.prepare(request, neverAborted)
      if (prepared.kind !== 'ready') throw new Error(prepared.reason)
      return prepared.path
    },
    async call(session, id, files) {
      const spec = fixture.spec(session)
      for (const [file, text] of Object.entries(files)) {
        const place = path.join(spec.workspace, file)
        mkdirSync(path.dirname(place), { recursive: true })
        if (text === null) rmSync(place)
        else writeFileSync(place, text)
      }
      await keeper.commitCall(spec, callOf(id, Object.keys(files)), neverAborted)
    },
    spec(session, more = {}) {
      const { path: workspace, base = '' } = keeper.find(session)
      return {
        id: session,
        root: session,
        agent: { name: 'builder', description: '', prompt: '', tools: { kind: 'all' } },
        workspace,
        isolation: { kind: 'own', session, base },
        ...more,
      } as SessionSpec
    },
  }
  if (git) {
    writeRepository ??= rememberFolder(makeRepository)
    writeRepository(project)
  }
  return fixture
}

let writeRepository: ((folder: string) => void) | undefined

function makeRepository(folder: string): void {
  gitIn(folder, 'init', '-q', '-b', 'main', '--template=')
  writeFileSync(path.join(folder, 'a.txt'), 'one\ntwo\nthree\n')
  writeFileSync(path.join(folder, 'b.txt'), 'b\n')
  writeFileSync(path.join(folder, '.gitignore'), 'ignored/\n')
  gitIn(folder, 'add', '-A')
  gitIn(folder, 'commit', '-q', '-m', 'first')
}

/** Ignores the git settings of the user who runs the tests. */
export function gitIn(folder: string, ...args: string[]): string {
  const settings = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.org',
    '-c',
    'protocol.file.allow=always',
  ]
  return execFileSync('git', [...settings, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  })
}

/** A call to a tool that names its files; without files, of one that runs a command. */
export function callOf(id: string, files: readonly string[] = []): JudgedCall {
  const tool =
    files.length > 0
      ? { name: 'write_file', effect: 'write', paths: () => files }
      : {
          name: 'execute_command',
          effect: 'execute',
          commands: () => ({ list: [['make', 'all']], sure: true }),
        }
  return {
    call: { id, type: 'function', function: { name: tool.name, arguments: '{}' } },
    tool,
    input: {},
  } as unknown as JudgedCall
}
