import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { commands, subcommands } from '../../packages/cli/src/commands.ts'
import { inDeep, isWhole, share } from '../support/amount.ts'
import { createHostileFolder } from './support/hostile.ts'

const model = ['--model', 'scripted:p.yaml']
const explain = (tool: string, input: object) => [
  'policy',
  'explain',
  '--tool',
  tool,
  '--input',
  JSON.stringify(input),
]
const lines: readonly (readonly string[])[] = [
  ['run', ...model, 'x'],
  ['run', '--json', '--agent', 'helper', '--allow', 'write', '--no-human', ...model, 'x'],
  ['run', '--team', 'supervisor', ...model, 'x'],
  ['chat', ...model],
  ['resume', 'evil-1', ...model],
  ['resume', 'evil-1', ...model, 'go on'],
  ['sessions', 'list'],
  ['sessions', 'show', 'evil-1'],
  ['sessions', 'tree', 'evil-1'],
  ['sessions', 'resume', 'evil-1', ...model],
  ['sessions', 'answer', 'evil-1', 'approval/x', 'approve'],
  ['sessions', 'cancel', 'evil-1'],
  ['approvals'],
  ['approve', 'x'],
  ['reject', 'x', '--reason', 'no'],
  ['init', '--team', 'planner', '--dry-run'],
  ['init', '--team', 'coordinator', '--to', 'claude'],
  ['agents', 'list'],
  ['agents', 'show', 'evil'],
  ['agents', 'show', 'helper', '--json'],
  ['agents', 'export', '--to', 'opencode', 'evil'],
  ['agents', 'import', '--to', 'copilot', '--dry-run', '.claude/agents/helper.md'],
  ['lint'],
  ['lint', '--fix'],
  explain('execute_command', { command: 'touch x' }),
  explain('get_errors', {}),
  ['policy', 'test', 'table.yaml'],
  ['record', 'evil-1'],
  ['replay', 'package.json'],
  ['mcp', 'list'],
  ['mcp', 'test', 'evil'],
  ['mcp', 'approve', 'evil', '--yes'],
  ['mcp', 'login', 'evil'],
  ['mcp', 'logout', 'evil'],
  ['mcp', 'add', 'mine', 'https://mcp.example/mcp'],
  ['mcp', 'remove', 'evil'],
  ['mcp', 'serve', ...model],
  ['mcp', 'install', '--to', 'claude', '--dry-run'],
  ['acp', ...model],
  ['hooks', 'list'],
  ['hooks', 'test', 'PreToolUse'],
  ['hooks', 'test', 'SessionStart', '--agent', 'evil'],
  ['sessions', 'export', 'evil-1'],
  ['sessions', 'import', 'package.json'],
  ['sessions', 'rewind', 'evil-1', '1', '--dry-run'],
  ['sessions', 'fork', 'evil-1', '1', 'x', '--model', 'scripted:p.yaml'],
  ['tasks'],
  ['tasks', 'SELECT * FROM *.task.md'],
  ['status'],
  ['up', '--detach', ...model],
  ['down'],
  ['workspace', 'list'],
  ['workspace', 'diff', 'evil'],
  ['workspace', 'forecast'],
  ['workspace', 'merge', 'evil'],
  ['workspace', 'rollback', '--all'],
  ['workspace', 'clean'],
  ['demo'],
  ['doctor'],
  ['completion', 'bash'],
  ['models', '--json'],
  ['run', '--model', 'copilot-ls:gpt-5', 'x'],
  ['run', '--model', 'copilot-sdk:gpt-5', 'x'],
  ['undo', '--yes'],
  ['redo', '--yes', 'evil-1'],
  ['setup', '--backend', 'openai', '--model', 'm', '--yes', '--no-test'],
  ['config', 'list'],
  ['config', 'get', 'model'],
  ['config', 'set', 'limits.depth', '2'],
  ['config', 'edit'],
  ['agents', 'add', 'x', '--description', 'd', '--dry-run'],
  ['agents', 'duplicate', 'evil', 'x', '--dry-run'],
  ['agents', 'remove', 'evil', '--yes'],
  ['agents', 'reset', '--yes'],
  ['open', '--home', 'none'],
  ['engine', 'start'],
  ['worker', '--port', '0'],
  ['people', 'list', '--json'],
  ['people', 'add', 'eve', '--role', 'admin'],
  ['people', 'remove', 'eve'],
  ['login', '--json'],
  ['logout'],
]

describe('an untrusted repository runs nothing', () => {
  test('there is a line for every command', () => {
    const named = (first: string) => lines.flatMap(([command, second]) => (command === first ? [second] : []))
    for (const command of Object.keys(commands)) expect(named(command), command).not.toEqual([])
    for (const [first, seconds] of Object.entries(subcommands))
      expect(named(first), first).toEqual(expect.arrayContaining([...seconds]))
  })

  test('with any command, one after the other', async () => {
    const { cadre, marks } = createHostileFolder()
    for (const line of isWhole ? lines : share(lines, 4)) {
      const { code, stderr } = await cadre(...line)
      expect(marks(), line.join(' ')).toEqual([])
      expect(code, `${line.join(' ')}: ${stderr}`).not.toBe(70)
    }
  })

  inDeep('and would run everything if trusted, so that the markers mean something', async () => {
    const { cadre, marks, project } = createHostileFolder()
    const run = await cadre('run', '--trust', '--json', ...model, 'x')
    expect(run.stderr).not.toContain('is not trusted')
    expect(marks()).toEqual(
      expect.arrayContaining([
        'agent-hook',
        'claude-hook',
        'claude-local',
        'copilot-hook',
        'copilot-settings',
        'tool-module',
        'vscode-hook',
      ]),
    )
    await cadre('resume', 'evil-1', '--trust', ...model)
    expect(marks()).toContain('session-hook')
    expect(marks()).not.toContain('git-config')
    try {
      execFileSync('git', ['status'], { cwd: project.path, stdio: 'ignore' })
    } catch {
      // Its monitor fails on purpose.
    }
    expect(marks()).toContain('git-config')
  })
})
