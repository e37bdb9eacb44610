import { expect, it } from 'vitest'
import { hoverParts } from './hover-parts.ts'

it('takes for code what is in backticks on one line', () => {
  expect(hoverParts('Use `read_file` here.')).toEqual([
    { text: 'Use ', isCode: false },
    { text: 'read_file', isCode: true },
    { text: ' here.', isCode: false },
  ])
})

it('takes for code nothing that Markdown would end before', () => {
  const text = 'a `\n\n![x](https://evil.example/x.png) [y](command:z)\n\n` b'
  expect(hoverParts(text)).toEqual([{ text, isCode: false }])
  expect(hoverParts('``![x](https://evil.example)').every(({ isCode }) => !isCode)).toBe(true)
})
