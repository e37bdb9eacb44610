import { createTwoFilesPatch } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesNothing, countChanges, patchLines } from './patch-lines.ts'

test('numbers lines, and tells content from heads', () => {
  const patch =
    '--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ function\n same\n--- gone\n+++ come\n same\n\\ No newline at end of file\n'
  expect(patchLines(patch)).toEqual([
    { kind: 'file', text: '--- a/x' },
    { kind: 'file', text: '+++ b/x' },
    { kind: 'hunk', text: '@@ -3,3 +3,3 @@ function' },
    { kind: 'same', text: 'same', before: 3, after: 3 },
    { kind: 'removed', text: '-- gone', before: 4 },
    { kind: 'added', text: '++ come', after: 4 },
    { kind: 'same', text: 'same', before: 5, after: 5 },
    { kind: 'note', text: '\\ No newline at end of file' },
  ])
  expect(countChanges(patchLines(patch))).toEqual({ added: 1, removed: 1 })
})

test('shows every line of any patch', () => {
  const text = fc.array(fc.constantFrom('a', '-', '--- x', '+++ y', '@@ -1 +1 @@', '', ' b'), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patch = createTwoFilesPatch('x', 'x', before.join('\n'), after.join('\n'))
      const lines = patchLines(patch)
      expect(lines).toHaveLength(patch.split('\n').length - (patch.endsWith('\n') ? 1 : 0))
      const kept = lines.filter(({ kind }) => kind === 'same' || kind === 'added').map((line) => line.text)
      // Parts that did not change are not in a patch, so compare what is in it.
      for (const line of kept) expect(after).toContain(line)
    }),
  )
})

test('shows text that is no patch', () => {
  expect(patchLines('hello\nworld').map(({ kind }) => kind)).toEqual(['note', 'note'])
})

test('knows a patch without changes', () => {
  const patch = (before: string, after: string) =>
    createTwoFilesPatch('a/x', 'b/x', before, after).replace(/^=+\n/, '')
  expect(changesNothing(patch('same\n', 'same\n'))).toBe(true)
  expect(changesNothing(patch('one\n', 'two\n'))).toBe(false)
  expect(changesNothing('--- /dev/null\n+++ b/empty\n')).toBe(false)
  expect(changesNothing('Some note.\n')).toBe(false)
  expect(changesNothing('')).toBe(false)
})
