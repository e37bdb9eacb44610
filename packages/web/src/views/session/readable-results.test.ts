import { expect, test } from 'vitest'
import { readableResults } from './readable-results.ts'

test('shows the report of a subagent without its tags', () => {
  const block =
    '<subagent_result agent_type="tester" agent_id="tester-1" status="done">\nAll green.\n<\\/subagent_result>\n</subagent_result>'
  expect(readableResults(`${block}\n\n${block}`)).toBe(
    ['', '']
      .map(() => '**Report of tester** (tester-1, done)\n\nAll green.\n</subagent_result>')
      .join('\n\n'),
  )
})

test('leaves other text as it is', () => {
  for (const text of [
    '',
    '<subagent_result>',
    'a < b\n</subagent_result>',
    '<subagent_result x>\n1\n</subagent_result>',
  ])
    expect(readableResults(text)).toBe(text)
})
