import {
  type AgentDefinition,
  anything,
  defineTool,
  type SessionSpec,
  spellingsOf,
  type Tool,
} from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { compileSafePattern } from './compile-safe-pattern.ts'
import type { Hook } from './hook.ts'
import { findMatcherFault, matchesHook } from './matches-hook.ts'

const base: Hook = {
  event: 'PreToolUse',
  spelling: 'PreToolUse',
  casing: 'pascal',
  dialect: 'claude',
  level: 'user',
  path: 'a.json',
  line: 1,
  action: { kind: 'command', command: 'x' },
  timeoutMs: 1_000,
  env: {},
  background: false,
  once: false,
}
const session = { workspace: '/w', agent: { name: 'lead' } as AgentDefinition } as SessionSpec

function tool(name: string, commands?: Tool['commands']): Tool {
  return defineTool({
    name,
    description: 'x',
    class: name === 'execute_command' ? 'execute' : 'edit',
    effect: 'execute',
    aliases: spellingsOf(name),
    input: anything('x'),
    ...(name.endsWith('_file') && { paths: (input: unknown) => [String((input as { path: string }).path)] }),
    ...(commands !== undefined && { commands }),
    run: () => Promise.reject(new Error('unreachable')),
  }) as Tool
}

function fits(hook: Partial<Hook>, name: string, input: object = {}, commands?: Tool['commands']): boolean {
  const call = {
    call: { id: '1', type: 'function' as const, function: { name, arguments: '' } },
    tool: tool(name, commands),
    input,
  }
  return matchesHook({ ...base, ...hook }, { kind: 'call', call, session })
}

describe('Claude Code', () => {
  it.each([
    ['WebFetch(domain:evil.test)', 'https://evil.test./', true],
    ['WebFetch(domain:evil.test:443)', 'https://EVIL.test/', true],
    ['WebFetch(domain:evil.*)', 'https://evil.test/', true],
    ['WebFetch(domain:*)', 'https://docs.test/', true],
    ['WebFetch(domain:evil.test)', 'evil.test', true],
    ['WebFetch(domain:evil.test)', 'https://docs.test/', false],
  ])('%s for %s: %s', (matcher, url, expected) => {
    expect(fits({ matcher }, 'web_fetch', { url })).toBe(expected)
  })

  it.each([
    ['', 'execute_command', true],
    ['*', 'execute_command', true],
    ['.*', 'write_file', true],
    ['Bash', 'execute_command', true],
    ['Bash', 'write_file', false],
    ['Write|Edit|MultiEdit', 'edit_file', true],
    ['Write | Edit', 'edit_file', true],
    ['Writ', 'write_file', false],
    ['^(Write|Edit|MultiEdit)$', 'write_file', true],
    ['^Bash$', 'execute_command', true],
    ['^Task$', 'delegate_task', true],
    ['Agent', 'delegateWork', true],
    ['Read|read_file|Edit|Write|write_file|replace', 'write_file', true],
    ['apply_patch', 'edit_file', true],
    ['run_in_terminal', 'execute_command', true],
    ['execute_command', 'execute_command', true],
    ['bash', 'execute_command', false],
    ['Notebook.*', 'edit_file', false],
    ['^(?!Bash)', 'execute_command', false],
    ['^(?!Bash)', 'write_file', true],
    ['mcp__.*', 'execute_command', false],
    ['([', 'execute_command', false],
  ])('%j and %s: %s', (matcher, name, expected) => {
    expect(fits({ matcher }, name, { path: 'x' })).toBe(expected)
  })

  it.each([
    ['Bash(git push*)', { command: 'git push -f' }, true],
    ['Bash(git push*)', { command: 'git status' }, false],
    ['Bash(git push*)', { command: 'cd x && git push' }, true],
    ['Bash\\(gh pr create.*\\)', { command: 'gh pr create --fill' }, true],
    ['Bash(npm:*)|Bash(sudo *)', { command: 'sudo rm x' }, true],
    ['Shell(ls*)', { command: 'ls' }, true],
    ['Write(.env*)', { command: 'ls' }, false],
  ])('%s as a matcher and as a condition, for %j: %s', (rule, input, expected) => {
    expect(fits({ matcher: rule }, 'execute_command', input)).toBe(expected)
    if (!rule.includes('\\'))
      expect(fits({ matcher: 'Bash', condition: rule }, 'execute_command', input)).toBe(expected)
  })

  it('a matcher that is not a regular expression matches nothing, and is reported', () => {
    const hook: Hook = { ...base, event: 'SessionStart', matcher: '([' }
    expect(matchesHook(hook, { kind: 'values', values: ['startup'] })).toBe(false)
    expect(findMatcherFault(hook)).toContain('never runs, as in Claude Code')
  })

  it.each(['([', 'Write|(', '*Bash', 'Bash('])(
    'an invalid matcher of a tool event never fits: %s',
    (matcher) => {
      expect(fits({ matcher }, 'write_file', { path: 'x' })).toBe(false)
      expect(fits({ matcher }, 'execute_command', { command: 'ls' })).toBe(false)
      expect(findMatcherFault({ ...base, event: 'PreToolUse', matcher })).toContain(
        'never runs, as in Claude Code',
      )
    },
  )

  it('a line that may hide more runs the hook despite the rule', () => {
    const commands = () => ({ list: [['eval', '$X']], sure: false })
    expect(fits({ matcher: 'Bash(git push*)' }, 'execute_command', { command: 'eval "$X"' }, commands)).toBe(
      true,
    )
  })

  it('a rule about files checks the path', () => {
    expect(fits({ condition: 'Write(.env*)' }, 'write_file', { path: '.env.local' })).toBe(true)
    expect(fits({ condition: 'Write(.env*)' }, 'write_file', { path: 'a.txt' })).toBe(false)
  })
})

describe('the Copilot CLI', () => {
  it.each([
    ['camel', 'bash', 'execute_command', true],
    ['camel', 'bas', 'execute_command', false],
    ['camel', 'bash|edit', 'edit_file', true],
    ['camel', 'Bash', 'execute_command', false],
    ['camel', '^(bash|shell|run_in_terminal|edit|str_replace|create|write)$', 'write_file', true],
    ['camel', 'edit|create|str_replace|str_replace_editor|apply_patch|view', 'read_file', true],
    ['camel', '([', 'execute_command', false],
    ['pascal', 'Bash', 'execute_command', true],
    ['pascal', 'bash', 'execute_command', true],
    ['pascal', 'Edit|Write', 'write_file', true],
    ['pascal', 'B.*', 'execute_command', true],
    ['pascal', 'as', 'execute_command', false],
  ] as const)('%s %j and %s: %s', (casing, matcher, name, expected) => {
    expect(fits({ dialect: 'copilot', casing, matcher }, name, { path: 'x' })).toBe(expected)
  })

  it('has no matcher for the start of a session, and one for its agents', () => {
    const values = { kind: 'values', values: ['worker'] } as const
    const hook: Hook = { ...base, dialect: 'copilot', casing: 'camel', matcher: 'other' }
    expect(matchesHook({ ...hook, event: 'SessionStart' }, values)).toBe(true)
    expect(matchesHook({ ...hook, event: 'SubagentStart' }, values)).toBe(false)
    expect(matchesHook({ ...hook, event: 'SubagentStart', matcher: 'wor.er' }, values)).toBe(true)
  })
})

it('VS Code ignores matchers', () => {
  expect(fits({ dialect: 'vscode', matcher: 'Write' }, 'execute_command')).toBe(true)
})

describe('hostile matchers', () => {
  const hostile = [
    '^(a+)+$',
    '(\\w*)*!',
    '(a|a)*b',
    '((((\\w+)+)+)+)!',
    '(.*)*x',
    '(?:\\w+\\s?)+!',
    '(\\w)\\1+x',
    '.*.*.*.*.*.*x',
    '(?:a?){50}a{50}',
    'a'.repeat(3_000),
    '(x{1,100}){1,100}',
  ]
  it.each(hostile)('%s is not evaluated, and the hook runs', (matcher) => {
    expect(compileSafePattern(matcher, { anchored: true }).kind).toBe('costly')
    expect(fits({ matcher }, 'execute_command')).toBe(!/^\w+$/.test(matcher))
    expect(fits({ matcher, dialect: 'copilot', casing: 'camel' }, 'execute_command')).toBe(true)
  })

  it.each(['^(Write|Edit)$', 'mcp__.*__write', '[A-Z]\\w+', '(?!Bash).*', 'a{2}', 'Edit|Write|.*Notebook.*'])(
    '%s is harmless',
    (matcher) => {
      expect(compileSafePattern(matcher, { anchored: false }).kind).toBe('pattern')
    },
  )
})
