import { expect, test } from 'vitest'
import { positionInHeader } from './header-position.ts'

/** Returns the spot at the `|` of a header. */
function at(header: string, isYaml = false) {
  const text = isYaml ? header : `---\n${header}\n---\nBody with tools: [x]\n`
  const lines = text.split('\n')
  const line = lines.findIndex((one) => one.includes('|'))
  const character = lines[line]?.indexOf('|') ?? -1
  lines[line] = (lines[line] ?? '').replace('|', '')
  const spot = positionInHeader({ lines, line, character, isYaml })
  return spot && `${spot.kind} ${spot.path.join('.')} <${spot.written}> beside ${spot.present.join(' ')}`
}

test.each([
  ['an empty line', 'name: a\n|\ntools: []', 'key  <> beside name tools'],
  ['the start of a key', 'name: a\nto|', 'key  <to> beside name'],
  ['the value of a key', 'model: GPT|', 'value model <GPT> beside '],
  ['an empty value', 'model: |', 'value model <> beside '],
  ['a list on one line', 'tools: [read, se|, edit]', 'value tools <se> beside read edit'],
  ['an unclosed list on one line', 'tools: [read, |', 'value tools <> beside read'],
  ['a name in quotes', "tools: ['read', 'se|']", 'value tools <se> beside read'],
  ['a list without brackets', 'tools: Read, Ba|', 'value tools <Ba> beside Read'],
  ['a name a line', 'tools:\n  - read\n  - se|\nname: a', 'value tools <se> beside read'],
  ['one name per line, not indented', 'tools:\n- read\n- |', 'value tools <> beside read'],
  ['a list over several lines', 'tools: [\n  read,\n  se|,\n]', 'value tools <se> beside read'],
  [
    'the agent of a handoff',
    'handoffs:\n  - label: Go\n    agent: b|\n    prompt: x',
    'value handoffs.agent <b> beside ',
  ],
  ['the agent of a handoff, first', 'handoffs:\n  - agent: b|', 'value handoffs.agent <b> beside '],
  ['a key of a handoff', 'handoffs:\n  - label: Go\n    ag|', 'key handoffs <ag> beside label'],
  ['the first key of a handoff', 'handoffs:\n  - la|', 'key handoffs <la> beside '],
  ['a model with brackets', 'model: GPT-5 (cop|ilot)', 'value model <GPT-5 (copilot)> beside '],
  ['a comment', 'name: a # to|', undefined],
])('%s', (_, header, expected) => {
  expect(at(header)).toBe(expected)
})

test('nothing below the header', () => {
  const lines = ['---', 'name: a', '---', 'tools: ']
  expect(positionInHeader({ lines, line: 3, character: 7, isYaml: false })).toBeUndefined()
})

test('treats a whole template as a header', () => {
  expect(at('id: a\ncapabilities: [re|]', true)).toBe('value capabilities <re> beside ')
})
