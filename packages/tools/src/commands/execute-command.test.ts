import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findSandbox, type Sandbox } from '@cadre/gate'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryWorkspace, type Workspace } from '../files/workspace.spec-helpers.ts'
import type { CommandOptions } from './command-options.ts'

const without: Sandbox = { kind: 'none', reason: 'this test wants none' }
const bubblewrap = process.env['CADRE_OPTIONAL'] === '1' ? await findSandbox(process.env) : without
const both = [bubblewrap, without].filter((sandbox, at) => at === 1 || sandbox.kind === 'bubblewrap')

let ws: Workspace
const open = (commands: CommandOptions) => {
  ws?.[Symbol.dispose]()
  ws = temporaryWorkspace({ commands })
  ws.write('src/a.txt', 'a\n')
}
beforeEach(() => open({ sandbox: bubblewrap }))
afterEach(() => ws[Symbol.dispose]())

it('reports a missing sandbox once, and nothing if there is one', async () => {
  for (const [sandbox, times] of both.map((one) => [one, one.kind === 'none' ? 1 : 0] as const)) {
    const told: string[] = []
    open({ sandbox, tell: (message) => told.push(message) })
    for (const command of ['true', 'true']) await ws.call('execute_command', { command })
    expect(told.filter((message) => message.includes('without a sandbox'))).toHaveLength(times)
  }
})

describe.each(both)('execute_command ($kind)', (sandbox) => {
  beforeEach(() => open({ sandbox }))

  it('returns the exit code and the output, and fails if the code is not 0', async () => {
    expect(await ws.call('execute_command', { command: 'cat src/a.txt' })).toEqual({
      content: 'Exit code 0.\na',
    })
    expect(await ws.call('execute_command', { command: 'echo no >&2; exit 7' })).toEqual({
      content: 'Exit code 7.\nno',
      failed: true,
    })
    expect(await ws.call('execute_command', { command: 'true' })).toEqual({ content: 'Exit code 0.' })
  })

  it('is reached under the names of all dialects, with their arguments', async () => {
    const calls = [
      ['Bash', { command: 'pwd', description: 'where', timeout: 60_000 }],
      ['bash', { command: 'pwd', description: 'where', mode: 'sync', initial_wait: 5 }],
      ['run_in_terminal', { command: 'pwd', explanation: 'where', goal: 'x', isBackground: false }],
      ['run_terminal_cmd', { command: 'pwd', is_background: false }],
      ['run_shell_command', { command: 'pwd', directory: '.' }],
      ['shell', { command: ['bash', '-lc', 'pwd'], workdir: '.', timeout_ms: 60_000 }],
      ['shell', { command: ['pwd'] }],
      ['execute_bash', { command: 'pwd', security_risk: 'LOW', timeout: 60 }],
      ['execute_command', { cmd: 'pwd', timeout: 60 }],
    ] as const
    for (const [name, input] of calls.filter((_, at) => process.env['CADRE_DEEP'] || at % 3 === 0))
      expect(await ws.call(name, input), name).toEqual({ content: `Exit code 0.\n${ws.root}` })
  })

  it('quotes words that are given as a list', async () => {
    const command = ['printf', '%s|', "it's", 'a b', '$HOME', ';', '*']
    expect((await ws.call('shell', { command })).content).toBe("Exit code 0.\nit's|a b|$HOME|;|*|")
  })

  it.each([
    ['Bash', { command: 'sleep 1', run_in_background: true }],
    ['run_in_terminal', { command: 'sleep 1', explanation: '', isBackground: true }],
    ['bash', { command: 'sleep 1', mode: 'async' }],
    ['bash', { command: 'sleep 1', mode: 'detached' }],
    ['run_terminal_cmd', { command: 'sleep 1', is_background: 'true' }],
  ])('%s rejects background commands', async (name, input) => {
    expect(await ws.call(name, input)).toMatchObject({
      failed: true,
      content: expect.stringContaining('background'),
    })
  })

  it('runs in a folder of the workspace, and in no other', async () => {
    symlinkSync('..', path.join(ws.root, 'up'))
    expect((await ws.call('execute_command', { command: 'ls', cwd: 'src' })).content).toBe(
      'Exit code 0.\na.txt',
    )
    for (const cwd of ['..', '/etc', 'up', 'missing', 'src/a.txt', '/proc/self/cwd'])
      expect(await ws.call('execute_command', { command: 'touch made', cwd }), cwd).toMatchObject({
        failed: true,
      })
    expect(existsSync(path.join(ws.outer, 'made'))).toBe(false)
  })

  it('is stopped at its timeout, which the policy may lower and no call can raise', async () => {
    open({ sandbox, maxSeconds: 1 })
    expect(await ws.call('execute_command', { command: 'tail -f /dev/null', timeout: 600 })).toMatchObject({
      failed: true,
      content: expect.stringContaining('longer than 1 seconds'),
    })
    open({ sandbox })
    expect(await ws.call('execute_command', { command: 'true', timeout: 601 })).toMatchObject({
      failed: true,
    })
    expect(await ws.call('Bash', { command: 'true', timeout: 7_200_000 })).toEqual({
      content: 'Exit code 0.',
    })
  })

  it('is stopped with its session', async () => {
    const stop = new AbortController()
    const going = ws.call('execute_command', { command: 'echo > begun; tail -f /dev/null' }, stop.signal)
    while (!existsSync(path.join(ws.root, 'begun'))) await new Promise((resolve) => setTimeout(resolve, 10))
    stop.abort()
    expect(await going).toMatchObject({ failed: true, content: expect.stringContaining('cancelled') })
  })

  it('reports changes to protected files to the model and to people', async () => {
    const told: string[] = []
    open({ sandbox, tell: (message) => told.push(message) })
    const result = await ws.call('execute_command', {
      command: 'mkdir .claude; echo evil > .claude/settings.json',
    })
    expect(result).toMatchObject({
      failed: true,
      content: expect.stringMatching(/protected files.*restored them: .*\.claude/),
    })
    const [said, ...more] = told.filter((message) => !message.includes('without a sandbox'))
    expect(said).toContain('.claude')
    expect(more).toEqual([])
    expect(existsSync(path.join(ws.root, '.claude', 'settings.json'))).toBe(false)
  })

  it('gets no keys, except for named ones', async () => {
    process.env['CADRE_TEST_TOKEN'] = 'secret-1'
    process.env['CADRE_TEST_OTHER'] = 'secret-2'
    try {
      open({ sandbox, environment: ['CADRE_TEST_OTHER'] })
      const { content } = await ws.call('execute_command', { command: 'env' })
      expect(content).not.toContain('secret-1')
      expect(content).toContain('CADRE_TEST_OTHER=secret-2')
      expect(content).toMatch(/^PATH=/m)
    } finally {
      delete process.env['CADRE_TEST_TOKEN']
      delete process.env['CADRE_TEST_OTHER']
    }
  })

  it('respects the boundary of its agent', async () => {
    const tool = ws.tool('execute_command')
    const run = (commands: 'none' | 'copy') =>
      tool.run(
        { command: 'echo changed > src/a.txt; cat src/a.txt' },
        {
          session: 's',
          agent: 'reviewer',
          call: 'c',
          key: commands,
          workspace: ws.root,
          boundary: { commands },
        },
        new AbortController().signal,
      )
    expect(await run('none')).toMatchObject({
      failed: true,
      content: expect.stringContaining('may not run commands'),
    })
    expect(await run('copy')).toEqual({ content: 'Exit code 0.\nchanged' })
    expect(ws.read('src/a.txt')).toBe('a\n')
  })
})

describe('what the gate sees of it', () => {
  it('is its class, its effect, its folder and its commands', () => {
    const tool = ws.tool('Bash')
    expect([tool.name, tool.class, tool.effect]).toEqual(['execute_command', 'execute', 'execute'])
    expect(tool.paths?.({ command: 'ls' })).toEqual([])
    expect(tool.paths?.({ command: 'ls', cwd: 'src' })).toEqual(['src'])
    expect(tool.commands?.({ command: 'ls' })).toMatchObject({
      sure: expect.any(Boolean),
      list: expect.any(Array),
    })
  })

  it('reports a missing workspace', async () => {
    mkdirSync(path.join(ws.outer, 'x'))
    writeFileSync(path.join(ws.outer, 'x', 'y'), '')
    const result = await ws
      .tool('execute_command')
      .run(
        { command: 'ls' },
        { session: 's', agent: 'a', call: 'c', key: 'k', workspace: path.join(ws.outer, 'gone') },
        new AbortController().signal,
      )
    expect(result).toMatchObject({ failed: true, content: expect.stringContaining('does not exist') })
  })
})
