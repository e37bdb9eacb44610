import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readAgentText } from '@cadre/agents'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chatAgentFiles } from './chat-agent-files.ts'
import { hookRunners } from './hook-files.ts'
import { installHooks } from './install-hooks.ts'

const files = chatAgentFiles()
const read = (text: string) => readAgentText({ path: '/x/.github/agents/a.agent.md', text })

describe('the agents for agent mode', () => {
  it('are the coordinator and the supervisor with their delegates', () => {
    expect(files.map(({ name }) => name)).toEqual([
      'coordinator',
      'code-reviewer',
      'documentation-writer',
      'test-engineer',
      'supervisor',
      'researcher',
      'architect',
      'builder',
      'verifier',
      'diagnostician',
      'vision-operator',
    ])
  })

  it('have unique names, and only the leads are visible to people', () => {
    const names = files.map(({ name }) => name.toLowerCase())
    expect(new Set(names).size).toBe(names.length)
    for (const own of ['agent', 'plan', 'ask', 'edit']) expect(names).not.toContain(own)
    const shown = files.filter(({ text }) => read(text).agent?.userInvocable !== false)
    expect(shown.map(({ name }) => name)).toEqual(['coordinator', 'supervisor'])
  })

  it('name no tool that only Cadre has', () => {
    for (const { text } of files) {
      expect(read(text).diagnostics).toEqual([])
      expect(text).not.toMatch(/delegateWork|reportOut|delegate_task|reportExpectations/)
    }
  })

  it('have hooks if their team has', () => {
    const hooked = files.filter(({ text }) => /^hooks:/m.test(text)).map(({ name }) => name)
    expect(hooked).toEqual(files.slice(4).map(({ name }) => name))
  })
})

/** The commands of an agent's hooks, as VS Code reads them. */
function hookOf(name: string, event: string): string {
  const text = files.find((file) => file.name === name)?.text ?? ''
  const hooks = read(text).agent?.hooks as Record<string, { command: string }[]>
  return hooks[event]?.[0]?.command ?? ''
}

describe('the runner for Windows', () => {
  const lines = (hookRunners('C:\\Users\\Jürgen (old)\\100%\\Code.exe')['run-hook.cmd'] ?? '').split('\r\n')
  const at = (text: string) => lines.findIndex((line) => line.includes(text))

  it('reads paths as UTF-8', () => {
    expect(at('chcp 65001')).toBeGreaterThan(-1)
    expect(at('chcp 65001')).toBeLessThan(at('set "node=C:\\Users\\Jürgen (old)\\100%%\\Code.exe"'))
  })

  it('has no block that a parenthesis in a path could end', () => {
    expect(lines.filter((line) => /^(?!rem |set ).*[()]/.test(line))).toEqual([])
  })

  it('denies for every exit code but 0', () => {
    expect(lines[at('"%node%" "%script%"') + 1]).toBe('if not "%errorlevel%"=="0" exit /b 2')
  })
})

describe.skipIf(process.platform === 'win32')('the hooks of these agents', () => {
  const scripts = path.join(import.meta.dirname, '..', '..', '..', 'gate', 'hooks', 'scripts')

  async function install({ node = process.execPath, isInstalled = true } = {}) {
    const home = mkdtempSync(path.join(tmpdir(), "cadre hook's "))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const folder = path.join(home, '.config', 'cadre', 'vscode')
    if (isInstalled) await installHooks({ folder, scripts, node })
    const run = (command: string, payload: object) =>
      spawnSync('/bin/sh', ['-c', command], {
        env: { PATH: process.env['PATH'], HOME: home },
        cwd: home,
        input: JSON.stringify({ cwd: home, session_id: 's', ...payload }),
        encoding: 'utf8',
      })
    return { home, folder, run }
  }
  const write = {
    hook_event_name: 'PreToolUse',
    tool_name: 'create_file',
    tool_input: { filePath: '/a.txt' },
  }

  it('enforce the bounds of each role', async () => {
    const { run } = await install()
    const denied = run(hookOf('researcher', 'PreToolUse'), write)
    expect(denied.status).toBe(0)
    expect(JSON.parse(denied.stdout).hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining('researcher may only write its artifact'),
    })
    expect(run(hookOf('builder', 'PreToolUse'), write)).toMatchObject({ status: 0, stdout: '' })
  })

  it('let a worker stop only with its evidence', async () => {
    const { run } = await install()
    const stop = { hook_event_name: 'SubagentStop', agent_id: 'a', agent_type: 'researcher' }
    expect(JSON.parse(run(hookOf('researcher', 'Stop'), stop).stdout)).toMatchObject({ decision: 'block' })
  })

  it('deny if they cannot run: not installed, a missing or broken script, a program that cannot start', async () => {
    const missing = await install({ isInstalled: false })
    expect(missing.run(hookOf('builder', 'PreToolUse'), write)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('not installed'),
    })
    const gone = await install()
    rmSync(path.join(gone.folder, 'hooks', 'scripts', 'security-check.mjs'))
    expect(gone.run(hookOf('builder', 'PreToolUse'), write).status).toBe(2)
    const broken = await install()
    rmSync(path.join(broken.folder, 'hooks', 'scripts'), { recursive: true })
    mkdirSync(path.join(broken.folder, 'hooks', 'scripts'))
    cpSync(
      path.join(scripts, 'security-check.mjs'),
      path.join(broken.folder, 'hooks', 'scripts', 'security-check.mjs'),
    )
    expect(broken.run(hookOf('builder', 'PreToolUse'), write)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('ERR_MODULE_NOT_FOUND'),
    })
    const unable = await install()
    writeFileSync(path.join(unable.home, 'node'), 'no program', { mode: 0o700 })
    await installHooks({ folder: unable.folder, scripts, node: path.join(unable.home, 'node') })
    expect(unable.run(hookOf('builder', 'PreToolUse'), write).status).toBe(2)
  })

  it('run with the Node on PATH if that of VS Code has moved', async () => {
    const { run } = await install({ node: '/nowhere/node' })
    expect(run(hookOf('researcher', 'PreToolUse'), write).stdout).toContain('deny')
  })

  it('are written once', async () => {
    const { folder } = await install()
    const file = path.join(folder, 'run-hook.sh')
    const before = statSync(file).ino
    await installHooks({ folder, scripts, node: process.execPath })
    expect(statSync(file).ino).toBe(before)
    await installHooks({ folder, scripts, node: '/other' })
    expect(readFileSync(file, 'utf8')).toContain('/other')
  })
})
