import { expect, it } from 'vitest'
import { describeCallInChat } from './describe-call-in-chat.ts'
import { historyOf } from './history-of.ts'
import { handoffQuery, parseHandoff } from './parse-command.ts'
import { workWithAttachments } from './work-with-attachments.ts'

it.each([
  ['read_file', { path: 'src/a.ts' }, { doing: 'reading src/a.ts', path: 'src/a.ts' }],
  ['Read', { file_path: 'a' }, { doing: 'reading a', path: 'a' }],
  ['edit_file', { path: 'a' }, { doing: 'editing a', path: 'a', writes: true }],
  ['execute_command', { command: 'npm\n test' }, { doing: 'running npm test' }],
  ['search_files', {}, { doing: 'searching for' }],
  ['delegateWork', { agentName: 'x' }, {}],
  ['acme_deploy', { path: 'x' }, { doing: 'using acme_deploy' }],
])('describes a call of %s', (tool, input, expected) => {
  expect(describeCallInChat(tool, JSON.stringify(input))).toEqual(expected)
})

it('describes a call with unreadable arguments', () => {
  expect(describeCallInChat('read_file', '{')).toEqual({ doing: 'reading' })
})

it('builds a history of alternating messages, the newest that fit', () => {
  expect(
    historyOf([
      { role: 'user', text: 'a' },
      { role: 'assistant', text: ' ' },
      { role: 'user', text: 'b' },
      { role: 'assistant', text: 'c' },
    ]),
  ).toEqual([
    { role: 'user', content: 'a\n\nb' },
    { role: 'assistant', content: 'c' },
  ])
  const long = 'x'.repeat(50_000)
  expect(
    historyOf([
      { role: 'user', text: long },
      { role: 'assistant', text: long },
      { role: 'user', text: 'b' },
      { role: 'assistant', text: 'c' },
    ]).map(({ content }) => content),
  ).toEqual(['b', 'c'])
})

it('reads a handoff, with quoted names if they have spaces', () => {
  expect(parseHandoff('reviewer  look at\nthis')).toEqual({ agent: 'reviewer', prompt: 'look at\nthis' })
  expect(parseHandoff('"Code Reviewer" go')).toEqual({ agent: 'Code Reviewer', prompt: 'go' })
  expect(parseHandoff('  ')).toBeUndefined()
  const query = handoffQuery('Code Reviewer', 'go on')
  expect(parseHandoff(query.replace('@agents /handoff ', ''))).toEqual({
    agent: 'Code Reviewer',
    prompt: 'go on',
  })
})

it('puts attachments below the request, as data', () => {
  expect(workWithAttachments('Do it', [])).toBe('Do it')
  const text = workWithAttachments('Do it', [
    { kind: 'text', label: 'a.md\n# x', text: 'one\n```', cut: 3 },
    { kind: 'mention', label: 'src', why: 'a folder' },
  ])
  expect(text).toContain('### a.md # x\n\n````\none\n```\n````\n\n(3 more characters are omitted)')
  expect(text).toContain('### src\n\n(a folder)')
})
