import { expect, it } from 'vitest'
import { closingFence, codeFence, codeLines, codeSpan, escapeMarkdown, noticeText } from './markdown.ts'

it('keeps text from being read as Markdown', () => {
  expect(escapeMarkdown('[x](command:y) <b> **z**\n# h')).toBe(
    '\\[x\\]\\(command:y\\) \\<b\\> \\*\\*z\\*\\* \\# h',
  )
  expect(escapeMarkdown('a'.repeat(600))).toHaveLength(502)
})

it('fences text that contains fences', () => {
  expect(codeFence('a\n```\nb')).toBe('````\na\n```\nb\n````')
  expect(codeFence('a', 'diff')).toBe('```diff\na\n```')
  expect(codeSpan('a`b``c')).toBe('```a`b``c```')
  expect(codeSpan('`a')).toBe('`` `a ``')
})

it('writes lines as wrapping code that nothing in them ends', () => {
  expect(codeLines(['a b', '', '`c``', '# d'])).toBe('`a b`  \n`\u00a0`  \n``` `c`` ```  \n`# d`')
  expect(codeLines(['```', '</code>'])).toBe('```` ``` ````  \n`</code>`')
  const long = `${'word '.repeat(1_000)}end`
  expect(codeLines([long])).toBe(`\`${long}\``)
})

it('keeps the spaces of lines of code', () => {
  expect(codeLines(['  a   b\r', '\tc', ' '])).toBe(
    '`\u00a0\u00a0a\u00a0\u00a0 b`  \n`\u00a0\u00a0\u00a0\u00a0c`  \n`\u00a0`',
  )
})

it('fences very many backticks', () => {
  const text = '` '.repeat(200_000)
  expect(codeFence(text)).toBe(`\`\`\`\n${text}\n\`\`\``)
})

it('closes the fence that a text has left open', () => {
  expect(closingFence('a')).toBe('')
  expect(closingFence('```ts\na\n```\nb')).toBe('')
  expect(closingFence('```ts\na')).toBe('\n```')
  expect(closingFence('````\n```\n')).toBe('\n````')
  expect(closingFence('~~~\n```\n')).toBe('\n~~~')
})

it('separates a notice, line by line', () => {
  expect(noticeText('a *b*\nc')).toBe('> ⚠️ a \\*b\\*  \n> c')
})
