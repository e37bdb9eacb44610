import { describe, expect, it } from 'vitest'
import { readPermission } from './permission-call.ts'
import { geminiProgram } from './programs/gemini.ts'

const options = [
  { optionId: 'a', kind: 'allow_always' },
  { optionId: 'o', kind: 'allow_once' },
  { optionId: 'r', kind: 'reject_once' },
]
const callOf = (toolCall: object) => readPermission({ toolCall, options }).call
const diff = (over: object = {}) => ({ type: 'diff', path: '/w/a', oldText: 'x', newText: 'y', ...over })

describe('a permission request', () => {
  it.each([
    [{ kind: 'execute', rawInput: { command: 'ls -l' } }, 'execute_command', { command: 'ls -l' }],
    [
      { kind: 'execute', rawInput: { command: ['bash', '-lc', 'rm -rf x && y'], cwd: '/w' } },
      'execute_command',
      { command: 'rm -rf x && y', cwd: '/w' },
    ],
    [
      { kind: 'execute', rawInput: { command: ['git', 'log', "it's"] } },
      'execute_command',
      { command: `git log 'it'\\''s'` },
    ],
    [{ kind: 'edit', content: [diff()] }, 'edit_file', { path: '/w/a', old: 'x', new: 'y' }],
    [{ kind: 'edit', content: [diff({ oldText: null })] }, 'write_file', { path: '/w/a', content: 'y' }],
    [
      { kind: 'edit', content: [diff({ oldText: '' })], locations: [{ path: '/w/a' }] },
      'write_file',
      { path: '/w/a', content: 'y' },
    ],
    [{ kind: 'read', rawInput: { file_path: '/etc/passwd' } }, 'read_file', { path: '/etc/passwd' }],
    [{ kind: 'read', locations: [{ path: '/w/b' }] }, 'read_file', { path: '/w/b' }],
    [{ kind: 'fetch', rawInput: { url: 'https://x.test' } }, 'web_fetch', { url: 'https://x.test' }],
  ])('is a call with the same effect: %j', (toolCall, tool, input) => {
    expect(callOf(toolCall)).toEqual({ tool, input })
  })

  it.each([
    ['without a kind', { title: 'ls', rawInput: { command: 'ls' } }],
    ['of an unknown kind', { kind: 'teleport' }],
    ['for a deletion', { kind: 'delete', locations: [{ path: '/w/a' }] }],
    ['for a command that it does not show', { kind: 'execute', title: 'ls' }],
    ['for a command that is no text', { kind: 'execute', rawInput: { command: { run: 'ls' } } }],
    ['for a change that it does not show', { kind: 'edit', locations: [{ path: '/w/a' }] }],
    ['for two changes', { kind: 'edit', content: [diff(), diff({ path: '/w/b' })] }],
    ['for a change elsewhere', { kind: 'edit', content: [diff()], locations: [{ path: '/etc/passwd' }] }],
    ['for reading several files', { kind: 'read', locations: [{ path: 'a' }, { path: 'b' }] }],
  ])('%s is no call', (_, toolCall) => {
    expect(callOf(toolCall)).toBeUndefined()
  })

  it('is answered only with an option for this one action', () => {
    expect(readPermission({ toolCall: {}, options })).toMatchObject({ allow: 'o', reject: 'r' })
    const always = readPermission({
      options: [{ optionId: 'a', kind: 'allow_always' }, null, { kind: 'allow_once' }],
    })
    expect(always).toMatchObject({ allow: undefined, reject: undefined })
  })
})

describe('a permission request of Gemini CLI', () => {
  const read = (text: string, title: unknown = 'touch a\ntouch b') =>
    readPermission(
      {
        toolCall: { kind: 'execute', title, content: [{ type: 'content', content: { type: 'text', text } }] },
      },
      geminiProgram.commandIn,
    ).call

  it('has the command as its title, and the folder in its text', () => {
    expect(read('[current working directory /w] (d)')).toEqual({
      tool: 'execute_command',
      input: { command: 'touch a\ntouch b' },
    })
    expect(read('[in sub] (d)')?.input).toEqual({ command: 'touch a\ntouch b', cwd: 'sub' })
  })

  it.each(['', 'touch a', '[in a] (x)] (d)', '[in ] (d)'])('is not understood with the text %j', (text) => {
    expect(read(text)).toBeUndefined()
  })

  it('is not understood without a title', () => {
    expect(read('[in sub] (d)', 7)).toBeUndefined()
  })
})
