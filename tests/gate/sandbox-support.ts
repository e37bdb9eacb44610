import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type CommandEnd,
  type CommandOptions,
  type CommandRun,
  cleanEnvironment,
  createPathResolver,
  findSandbox,
  runGuardedCommand,
  type Sandbox,
} from '@cadre/gate'
import { openHome } from '@cadre/home'
import { rememberFolder } from '../../packages/workspaces/src/remember-folder.spec-helpers.ts'

export const without: Sandbox = { kind: 'none', reason: 'this test wants none' }
/** The tests of the sandbox itself run in `npm run test:optional` and `npm run test:deep`. */
export const bubblewrap = process.env['CADRE_OPTIONAL'] === '1' ? await findSandbox(process.env) : without

export interface World extends Disposable {
  /** Contains all files of one test. */
  readonly outer: string
  /** A repository with a home, and everything that is protected. */
  readonly project: string
  /** The user's home, with secrets. */
  readonly user: string
  at(...names: string[]): string
  write(file: string, content: string): void
  read(file: string): string
  run(
    command: string,
    options?: Partial<CommandRun> &
      Pick<CommandOptions, 'unreadableIn' | 'unwritableIn'> & { sandbox?: Sandbox; signal?: AbortSignal },
  ): Promise<CommandEnd>
  /** Every protected file with its content, for comparison. */
  protectedState(): { readonly [file: string]: string }
}

export const git = (cwd: string, ...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', ...args],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )

const protectedFiles: { readonly [file: string]: string } = {
  '.claude/settings.json': '{"claude":1}\n',
  '.claude/agents/a.md': 'agent a\n',
  '.github/agents/lead.agent.md': 'lead\n',
  '.github/hooks/pre.json': '{"hooks":{}}\n',
  '.vscode/settings.json': '{}\n',
  '.mcp.json': '{}\n',
  'packages/one/.claude/settings.json': '{"nested":1}\n',
  '.cadre/config.yaml': 'model: x\n',
  '.cadre/storage/policy.yaml': 'effects: {}\n',
  '.cadre/storage/people.yaml': 'people: []\n',
  '.cadre/storage/terminal-cmd-allowlist.yaml': 'ls: true\n',
  '.cadre/tasks/approvals.task.md': '- [ ] approve this id:1\n',
  '.cadre/approvals/pending/one.approval.md': 'Decision:\n',
  '.cadre/templates/a.agent.yaml': 'id: a\n',
  '.cadre/sessions/other-1.session.yaml': 'session_id: other-1\nmetadata:\n  root: other-1\nmessages:\n',
  '.cadre/events/2026-01-01.jsonl': '{"type":"x"}\n',
}

const worldFiles: { readonly [file: string]: string } = {
  'src/a.txt': 'a\n',
  '.github/workflows/ci.yml': 'on: push\n',
  '.gitignore': '.cadre/\n',
  ...protectedFiles,
}

function writeIn(folder: string, file: string, content: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), content)
}

let writeRepository: ((folder: string) => void) | undefined

function makeRepository(project: string): void {
  for (const [file, content] of Object.entries(worldFiles)) writeIn(project, file, content)
  git(project, 'init', '-q')
  git(project, 'add', '-A')
  git(project, 'commit', '-qm', 'first')
  const settings = '[user]\n\tname = a\n\temail = a@b\n'
  appendFileSync(path.join(project, '.git', 'config'), settings)
}

export function createWorld(): World {
  const outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-sandbox-')))
  const project = path.join(outer, 'project')
  const user = path.join(outer, 'user')
  const write = (file: string, content: string) => writeIn(project, file, content)
  mkdirSync(path.join(user, '.ssh'), { recursive: true })
  writeFileSync(path.join(user, '.ssh', 'id'), 'the private key')
  mkdirSync(path.join(user, '.config', 'cadre'), { recursive: true })
  writeFileSync(path.join(user, '.config', 'cadre', 'policy.yaml'), 'strict: true\n')
  writeFileSync(path.join(outer, 'outside.txt'), 'outside')
  mkdirSync(project)
  writeRepository ??= rememberFolder(makeRepository)
  writeRepository(project)
  const home = openHome({ home: path.join(project, '.cadre'), cwd: project, env: {} })
  const places = createPathResolver({ home: home.path, userHome: user, project })
  return {
    outer,
    project,
    user,
    at: (...names) => path.join(project, ...names),
    write,
    read: (file) => readFileSync(path.join(project, file), 'utf8'),
    run(
      command,
      {
        sandbox = bubblewrap,
        signal = new AbortController().signal,
        unreadableIn,
        unwritableIn,
        ...rest
      } = {},
    ) {
      const workspace = rest.workspace ?? project
      return runGuardedCommand(
        {
          command,
          cwd: workspace,
          workspace,
          timeoutMs: 60_000,
          copy: false,
          network: false,
          environment: cleanEnvironment(process.env, []),
          key: 'test/call_1',
          ...rest,
        },
        { sandbox, places, home, userHome: user, unreadableIn, unwritableIn },
        signal,
      )
    },
    protectedState: () => ({
      ...stateOf(project, [
        ...Object.keys(protectedFiles),
        '.git/config',
        '.git/hooks',
        '.github/hooks',
        '.claude',
        '.cadre/approvals',
        '.cadre/templates',
        '.cadre/sessions',
        '.cadre/events',
        '.cadre/storage/wal',
        '.cadre/storage/logins',
        '.vscode/mcp.json',
        '.vscode/tasks.json',
        '.opencode',
        '.copilot',
      ]),
      ...stateOf(user, ['.config', '.claude', '.copilot', '.ssh']),
    }),
    [Symbol.dispose]: () => rmSync(outer, { recursive: true, force: true }),
  }
}

export function stateOf(root: string, names: readonly string[]): { [file: string]: string } {
  const state: { [file: string]: string } = {}
  const look = (place: string) => {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined) return
    const mode = (stats.mode & 0o777).toString(8)
    if (stats.isSymbolicLink()) state[place] = `link ${readlinkSync(place)}`
    else if (stats.isDirectory()) {
      state[place] = `folder ${mode}`
      for (const name of readdirSync(place)) look(path.join(place, name))
    } else state[place] = `${mode} ${readFileSync(place, 'latin1')}`
  }
  for (const name of names) look(path.join(root, name))
  return state
}

export const copyOf = (from: string, to: string) =>
  cpSync(from, to, { recursive: true, verbatimSymlinks: true })
