import { expect, it } from 'vitest'
import { hoverParts } from './hover-parts.ts'

it('treats backticks on one line as code', () => {
  expect(hoverParts('Use `read_file` here.')).toEqual([
    { text: 'Use ', isCode: false },
    { text: 'read_file', isCode: true },
    { text: ' here.', isCode: false },
  ])
})

it('treats nothing as code that Markdown would end earlier', () => {
  const text = 'a `\n\n![x](https://evil.example/x.png) [y](command:z)\n\n` b'
  expect(hoverParts(text)).toEqual([{ text, isCode: false }])
  expect(hoverParts('``![x](https://evil.example)').every(({ isCode }) => !isCode)).toBe(true)
})
