import { expect, test } from 'vitest'
import { positionInTask } from './task-position.ts'

function at(text: string, isBelowTask = true) {
  const character = text.indexOf('|')
  const line = text.replace('|', '')
  const spot = positionInTask(line, character, isBelowTask)
  return spot && `${spot.kind} <${line.slice(spot.start, spot.end)}>`
}

test.each([
  ['- [|', false, 'marker <>'],
  ['- [| ] x', false, 'marker < >'],
  ['- [x|] x', false, 'marker <x>'],
  ['- [ ] A @re|', false, 'agent <re>'],
  ['- [ ] A @|bob "x"', false, 'agent <bob>'],
  ['- [ ] #|', false, 'tag <>'],
  ['- [ ] "mail bob@|"', false, undefined],
  ['- [ ] "title" @|', false, undefined],
  ['  depends_on: task-1, ta|', true, 'id <ta>'],
  ['  parent: |', true, 'id <>'],
  ['  de|', true, 'field <de>'],
  ['  |', true, 'field <>'],
  ['|', false, 'task <>'],
  ['- |', false, 'task <- >'],
  ['Some text|', false, undefined],
])('%s', (text, isBelowTask, expected) => {
  expect(at(text, isBelowTask)).toBe(expected)
})
