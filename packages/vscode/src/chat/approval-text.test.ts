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
      '`Path: a.md`  \n`Argument all: true`',
      '````diff\n- one\n- two\n+ ```\n+ three\n````',
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
  const given = { path: 'a.md', content: 'x\u200by' }
  const text = approvalText({ question: question(given, { tool: 'write_file' }), chain: 'w\u202e' })
  expect(text).toContain('"x\\u200by"')
  expect(text).not.toMatch(/[\u200b\u202e]/)
})

it.each([
  [
    'two spellings of an argument',
    { path: 'a.md', old: 'teh', new: 'the', file_path: 'run.sh', old_string: 'ok', new_string: 'evil' },
    'run.sh',
  ],
  ['another path than the one that is judged', { path: 'a.md', old: 'teh', new: 'the' }, 'run.sh'],
  ['several edits', { path: 'a.md', old: 'teh', new: 'the', edits: [{ old: 'ok', new: 'evil' }] }, 'a.md'],
  ['an old text that is none', { path: 'a.md', old: ['teh'], new: 'the' }, 'a.md'],
])('draws no diff of %s: the action and every argument are shown', (_, given, action) => {
  const text = approvalText({ question: question(given, { action }), chain: 'w' })
  expect(text).not.toContain('diff')
  expect(text).not.toContain('+ the')
  expect(text).toContain(`Path: ${action}`)
  for (const [name, value] of Object.entries(given))
    if (value !== action)
      expect(text).toContain(`Argument ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
})

it('draws no diff for a tool that may do something else with such arguments', () => {
  const given = { path: 'a.md', content: 'x' }
  expect(approvalText({ question: question(given, { tool: 'mcp_upload' }), chain: 'w' })).not.toContain(
    'diff',
  )
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
  const text = approvalText({ question: question({ path: 'a.md', old: 'a\n\n', new: long }), chain: 'w' })
  expect(text).toContain(`\n\n\`- a\`  \n\`- \`  \n\`- \`  \n\`+ ${long}\`\n\n`)
  expect(text).not.toContain('```')
})

it('tells who decided what', () => {
  expect(decisionText({ decision: 'approve', by: 'ann' }, 'lead')).toBe('**Approved** by ann (lead)')
  expect(decisionText({ decision: 'approve-session', by: 'a_b' }, 'x')).toBe(
    '**Approved for this session** by a\\_b (x)',
  )
  expect(decisionText({ decision: 'reject', reason: 'No.' }, 'x')).toBe('**Rejected**: No\\. (x)')
})
