import { expect, it } from 'vitest'
import { approvalText, decisionText } from './approval-text.ts'

const question = (given: object, more: object = {}) => ({
  kind: 'approval' as const,
  text: 'asked',
  choices: ['approve', 'approve-session', 'reject'],
  detail: {
    agent: 'worker',
    type: 'file_write',
    action: 'a.md',
    tool: 'edit_file',
    arguments: JSON.stringify(given),
    risk: 'MEDIUM' as const,
    reasons: ['it changes files'],
    reason: 'effects.write is ask',
    grants: ['write in the workspace'],
    ...more,
  },
})

it('shows who asks, the change as a diff, the risk and why', () => {
  const text = approvalText({
    question: question({ filePath: 'a.md', oldString: 'two', newString: '```' }),
    chain: 'lead › worker',
    files: [
      { path: 'a.md', before: 'one\ntwo', after: 'one\n```' },
      { path: 'b.md', after: 'new' },
      { path: 'c.md', before: 'same', after: 'same' },
    ],
  })
  expect(text).toBe(
    [
      '**lead › worker** wants to use `edit_file`.',
      '`Path: a.md`',
      '````diff\n  one\n- two\n+ ```\n````',
      '`Path: b.md`',
      '```diff\n+ new\n```',
      '`Path: c.md`',
      'The file stays as it is.',
      '- Risk: MEDIUM – it changes files\n- Why you are asked: effects\\.write is ask\n- Approving for this session permits: write in the workspace',
    ].join('\n\n'),
  )
})

it('shows every argument of a change that cannot be previewed', () => {
  const text = approvalText({ question: question({ path: 'a.md', old: 'gone', new: 'x' }), chain: 'w' })
  expect(text).toContain('Argument old: gone')
  expect(text).toContain('Argument new: x')
})

it('shows every argument of a call that changes no file', () => {
  const text = approvalText({
    question: question(
      { command: 'rm -rf ~ # \u202e', explanation: '</b>[x](y)' },
      { type: 'terminal_command', tool: 'execute_command', action: 'rm -rf ~ # \u202e' },
    ),
    chain: 'worker',
  })
  expect(text).toContain('"rm -rf ~ # \\u202e"')
  expect(text).toContain('Argument explanation: </b>[x](y)')
})

it('shows a command so that it wraps at any width', () => {
  const action = 'npm test -- --report && rm -rf coverage'
  const text = approvalText({
    question: question({ command: action }, { type: 'terminal_command', tool: 'execute_command', action }),
    chain: 'w',
  })
  expect(text).toContain(`\n\n\`Command: ${action}\`\n\n`)
  expect(text).not.toContain('```')
})

it('shows a change with a long line so that it wraps at any width', () => {
  const long = 'x'.repeat(39)
  const text = approvalText({
    question: question({ path: 'a.md' }),
    chain: 'w',
    files: [{ path: 'a.md', before: 'a', after: long }],
  })
  expect(text).toContain(`\n\n\`- a\`  \n\`+ ${long}\`\n\n`)
  expect(text).not.toContain('```')
})

it('shows invisible characters', () => {
  const text = approvalText({
    question: question({ path: 'a\u202e.md' }),
    chain: 'w\u202e',
    files: [{ path: 'a\u202e.md', before: 'x', after: 'x\u200by' }],
  })
  expect(text).toContain('x\\u{200b}y')
  expect(text).not.toMatch(/[\u200b\u202e]/)
})

it('shows who decided what', () => {
  expect(decisionText({ decision: 'approve', by: 'ann' }, 'lead')).toBe('**Approved** by ann (lead)')
  expect(decisionText({ decision: 'approve-session', by: 'a_b' }, 'x')).toBe(
    '**Approved for this session** by a\\_b (x)',
  )
  expect(decisionText({ decision: 'reject', reason: 'No.' }, 'x')).toBe('**Rejected**: No\\. (x)')
})
