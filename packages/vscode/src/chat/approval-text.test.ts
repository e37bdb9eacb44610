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
    question: question({ path: 'a.md', old: 'one\ntwo', new: '```\nthree', all: true }),
    chain: 'lead › worker',
  })
  expect(text).toBe(
    [
      '**lead › worker** wants to use `edit_file`.',
      '```\na.md\n```',
      '````diff\n- one\n- two\n+ ```\n+ three\n````',
      '```json\n{\n  "all": true\n}\n```',
      '- Risk: MEDIUM – it changes files\n- Why you are asked: effects\\.write is ask\n- Approving for this session permits: write in the workspace',
    ].join('\n\n'),
  )
})

it('shows every argument of what is no change of a file', () => {
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

it('shows characters that nobody sees', () => {
  const text = approvalText({ question: question({ path: 'a', content: 'x\u200by' }), chain: 'w' })
  expect(text).toContain('+ x\\u{200b}y')
})

it('tells who decided what', () => {
  expect(decisionText({ decision: 'approve', by: 'ann' }, 'lead')).toBe('**Approved** by ann (lead)')
  expect(decisionText({ decision: 'approve-session', by: 'a_b' }, 'x')).toBe(
    '**Approved for this session** by a\\_b (x)',
  )
  expect(decisionText({ decision: 'reject', reason: 'No.' }, 'x')).toBe('**Rejected**: No\\. (x)')
})
