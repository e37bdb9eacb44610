import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findSandbox, type Sandbox } from '@cadre/gate'
import { describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from '../files/workspace.spec-helpers.ts'
import { findProblems } from './find-problems.ts'

const found = await findSandbox(process.env)
const sandboxes: readonly Sandbox[] = [
  ...(found.kind === 'bubblewrap' && process.env['CADRE_OPTIONAL'] === '1' ? [found] : []),
  { kind: 'none', reason: 'this test wants none' },
]

const node = (script: string) => ({ check: { command: [process.execPath, '-e', script] } })

describe('get_errors', () => {
  it('runs the configured check in the workspace, and lists its errors', async () => {
    using ws = temporaryWorkspace(
      node(
        'console.log(process.cwd()); console.log("src/a.ts(3,5): error TS2304: Cannot find name"); console.error("lib/b.c:7:1: warning: unused"); process.exit(2)',
      ),
    )
    expect(await ws.call('get_errors', {})).toEqual({
      content: 'src/a.ts:3: error TS2304: Cannot find name\nlib/b.c:7: warning: unused',
    })
    expect(await ws.call('get_errors', { path: 'lib' })).toEqual({ content: 'lib/b.c:7: warning: unused' })
    expect(await ws.call('problems', { filePaths: ['src/a.ts'] })).toEqual({
      content: 'src/a.ts:3: error TS2304: Cannot find name',
    })
    expect(await ws.call('get_errors', { path: 'other' })).toEqual({
      content: 'No errors in other, but 2 elsewhere.',
    })
    expect(await ws.call('get_errors', { path: '../x' })).toMatchObject({ failed: true })
  })

  it('explains how to configure a check, and reports the result if there is nothing to list', async () => {
    using none = temporaryWorkspace()
    expect(await none.call('get_errors', {})).toMatchObject({
      failed: true,
      content: expect.stringContaining('check: {command:'),
    })
    using clean = temporaryWorkspace(node(''))
    expect(await clean.call('get_errors', {})).toEqual({ content: 'No errors.' })
    using odd = temporaryWorkspace(node('console.log("it broke"); process.exit(3)'))
    expect((await odd.call('get_errors', {})).content).toBe(
      'The check exited with code 3, and its output does not name a file:\nit broke',
    )
    using missing = temporaryWorkspace({ check: { command: ['no-such-program-anywhere'] } })
    expect(await missing.call('get_errors', {})).toMatchObject({
      failed: true,
      content: expect.stringContaining('Cannot start'),
    })
  })

  it('passes no keys to the program, and uses no shell', async () => {
    process.env['SAMPLE_API_KEY'] = 'secret-value'
    using ws = temporaryWorkspace({
      check: {
        command: [
          process.execPath,
          '-e',
          'console.log(JSON.stringify(process.env), process.argv[1]); process.exit(1)',
          '; touch pwned $(touch pwned)',
        ],
      },
    })
    const { content } = await ws.call('get_errors', {})
    delete process.env['SAMPLE_API_KEY']
    expect(content).not.toContain('secret-value')
    expect(content).toContain('$(touch pwned)')
    expect(await ws.call('list_directory', {})).toEqual({ content: '[. is empty]' })
  })

  // Takes seconds.
  it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
    'kills a hanging check and everything it started',
    async () => {
      const name = `cadre-check-${process.pid}`
      const script = `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", "${name}"], {stdio: "inherit"}); require("fs").writeFileSync("started", ""); setInterval(() => {}, 1000)`
      using ws = temporaryWorkspace({
        check: { command: [process.execPath, '-e', script], timeoutSeconds: 5 },
      })
      expect(await ws.call('get_errors', {})).toMatchObject({
        failed: true,
        content: expect.stringContaining('longer than 5 seconds'),
      })
      expect(ws.read('started')).toBe('')
      await expect.poll(() => commandLines().filter((line) => line.includes(name))).toEqual([])
    },
  )

  it('stops when it is cancelled', async () => {
    using ws = temporaryWorkspace(
      node('require("fs").writeFileSync("started", ""); setInterval(() => {}, 1000)'),
    )
    const stop = new AbortController()
    const result = ws.call('get_errors', {}, stop.signal)
    await expect.poll(async () => (await ws.call('find_files', { glob: 'started' })).content).toBe('started')
    stop.abort()
    expect(await result).toMatchObject({ failed: true })
  })

  it('limits a flood of output', async () => {
    using ws = temporaryWorkspace(
      node('for (let i = 1; i <= 20000; i++) console.log("a.ts:" + i + ":1: error number " + i)'),
    )
    const { content } = await ws.call('get_errors', {})
    expect(content.split('\n')).toHaveLength(101)
    expect(content).toMatch(/\[\d+ more\]$/)
  })
})

describe.each(sandboxes)('a check that an agent has changed ($kind)', (sandbox) => {
  const scriptAs = (ws: Workspace, script: string) => ws.write('check.js', script)
  const check = { command: [process.execPath, 'check.js'] }

  it('restores protected files, and reports it', async () => {
    using ws = temporaryWorkspace({ check, commands: { sandbox } })
    ws.write('.claude/settings.json', '{"mine":1}')
    scriptAs(
      ws,
      'try { require("fs").writeFileSync(".claude/settings.json", "{}") } catch {}; console.log("a.js:1: x")',
    )
    const { content } = await ws.call('get_errors', {})
    expect(content).toContain('a.js:1: x')
    expect(ws.read('.claude/settings.json')).toBe('{"mine":1}')
    if (sandbox.kind === 'none') expect(content).toContain('Cadre restored them')
  })

  it('runs on a copy for a role that changes no files, and not at all for one that runs no commands', async () => {
    using ws = temporaryWorkspace({ check, commands: { sandbox } })
    scriptAs(ws, 'require("fs").writeFileSync("new", ""); console.log(__filename + ":7: x"); process.exit(1)')
    const as = (commands: 'copy' | 'none') =>
      ws.tool('get_errors').run(
        {},
        {
          session: 's',
          agent: 'a',
          call: 'c',
          key: 's/c',
          workspace: ws.root,
          boundary: { writes: 'artifact', commands },
        },
        new AbortController().signal,
      )
    expect(await as('copy')).toEqual({ content: 'check.js:7: x' })
    expect(existsSync(`${ws.root}/new`)).toBe(false)
    expect(await as('none')).toMatchObject({
      failed: true,
      content: expect.stringContaining('may not run commands'),
    })
  })

  it('gets no more time and output than the policy allows', async () => {
    using ws = temporaryWorkspace({ check, commands: { sandbox, maxSeconds: 1, maxOutput: 2_000 } })
    scriptAs(ws, 'for (let i = 1; i < 90; i++) console.log("a.ts:" + i + ": " + "x".repeat(100))')
    expect((await ws.call('get_errors', {})).content.length).toBeLessThan(2_500)
    scriptAs(ws, 'setInterval(() => {}, 1000)')
    expect((await ws.call('get_errors', {})).content).toContain('longer than 1 seconds')
  })
})

describe.runIf(sandboxes.length === 2)('a check in the sandbox', () => {
  it('writes nothing outside the workspace', async () => {
    using ws = temporaryWorkspace({ check: { command: ['sh', '-c', 'echo x > ../out; echo "a:1: tried"'] } })
    expect((await ws.call('get_errors', {})).content).toBe('a:1: tried')
    expect(existsSync(`${ws.outer}/out`)).toBe(false)
  })
})

describe('output formats of checks', () => {
  it.each([
    ['tsc', 'src/a.ts(1,2): error TS1: x', 'src/a.ts:1: error TS1: x'],
    [
      'tsc --pretty',
      '\u001b[96msrc/a.ts\u001b[0m:\u001b[93m1\u001b[0m:\u001b[93m2\u001b[0m - \u001b[91merror\u001b[0m TS1: x',
      'src/a.ts:1: error TS1: x',
    ],
    ['gcc', './src/a.c:1:2: error: x', 'src/a.c:1: error: x'],
    ['eslint', '/root/src/a.js\n  1:2  error  x  rule-name\n\n✖ 1 problem', 'src/a.js:1: error x rule-name'],
    ['rustc', 'error[E0425]: cannot find\n  --> src/main.rs:4:5', 'src/main.rs:4: error[E0425]: cannot find'],
    ['python', '  File "/root/a.py", line 3, in f', 'a.py:3: , in f'],
    ['go', 'a.go:3:4: undefined: x', 'a.go:3: undefined: x'],
    ['mypy', 'a.py:3: error: x  [misc]', 'a.py:3: error: x  [misc]'],
    ['times and addresses', '12:30:45 starting\nhttp://localhost:3000/ up\nsee https://x.y:443: ok', ''],
    ['files elsewhere', '/usr/lib/a.c:1:2: error: x', ''],
    ['twice', 'a.c:1:2: x\na.c:1:2: x', 'a.c:1: x'],
  ])('%s', (_, output, expected) => {
    expect(
      findProblems(output, '/root')
        .map(({ path, line, message }) => `${path}:${line}: ${message}`)
        .join('\n'),
    ).toBe(expected)
  })
})

/** Command lines of all running processes; zombies have none. */
function commandLines(): string[] {
  return spawnSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).stdout.split('\n')
}
