import { expect, it } from 'vitest'
import { code, escaped, fenced } from './markdown.ts'

it('keeps text from being taken for Markdown', () => {
  expect(escaped('[x](command:y) <b> **z**\n# h')).toBe('\\[x\\]\\(command:y\\) \\<b\\> \\*\\*z\\*\\* \\# h')
  expect(escaped('a'.repeat(600))).toHaveLength(502)
})

it('fences what itself has fences', () => {
  expect(fenced('a\n```\nb')).toBe('````\na\n```\nb\n````')
  expect(fenced('a', 'diff')).toBe('```diff\na\n```')
  expect(code('a`b``c')).toBe('```a`b``c```')
  expect(code('`a')).toBe('`` `a ``')
})
