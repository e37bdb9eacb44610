import { expect, test } from 'vitest'
import { auditCommand, auditLine } from './audit-line.ts'

test('shows who decided, by which rule, and for which call', () => {
  const line = auditLine({
    at: '2026-11-15T10:00:00Z',
    type: 'call.judged',
    session: 'lead-1',
    agent: 'lead',
    tool: 'execute_command',
    decision: 'deny',
    by: 'policy',
    rule: 'allowlist: git push',
    reason: 'It pushes.',
    input: { command: 'git push' },
  })
  expect(line).toEqual({
    at: '2026-11-15T10:00:00Z',
    type: 'call.judged',
    title: 'lead · execute_command',
    detail: 'policy allowlist: git push · It pushes. · {"command":"git push"}',
    decision: 'deny',
    session: 'lead-1',
  })
})

test('a line with other types of values is shown, too', () => {
  expect(auditLine({ type: 7, decision: null, agent: [] })).toEqual({
    at: '',
    type: 'unknown',
    title: '',
    detail: '',
  })
})

test('the command has the same filter, whatever the filter contains', () => {
  expect(auditCommand('/h', {})).toBe(`jq -c '.' '/h/events/'*.jsonl`)
  expect(auditCommand('/h', { type: 'a,b', session: `x'y"` })).toBe(
    `jq -c 'select((.type | IN("a", "b")) and .session == "x'\\''y\\"")' '/h/events/'*.jsonl`,
  )
})
