import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findLostWhitespace,
  normalisePrompt,
  readPromptWhitespace,
  restorePromptWhitespace,
} from './prompt-whitespace.ts'

const pieces = fc.constantFrom(
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\r',
  'a',
  'Some words.  ',
  '---',
  '\ufeff',
  '\ud800',
  '```',
)

describe('the space around a prompt', () => {
  it('restores every text', () => {
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (prompt) => {
          const space = findLostWhitespace(prompt)
          const inFile = normalisePrompt(Buffer.from(normalisePrompt(prompt)).toString())
          if (space === undefined) expect(inFile).toBe(prompt)
          else
            expect(
              restorePromptWhitespace(inFile, readPromptWhitespace(JSON.parse(JSON.stringify(space))) ?? {}),
            ).toBe(prompt)
        },
      ),
      { numRuns: process.env['CADRE_DEEP'] ? 1_000 : 300 },
    )
  })

  it.each([
    ['You are a reviewer.\n\nBe kind.', undefined],
    ['', undefined],
    ['You are a reviewer.\n', { after: '\n' }],
    ['\n  You.\r\nSee.\r\n', { before: '\n  ', after: '\n', crlf: [2, 3] }],
    ['a\r\nb\r\n', { after: '\n', crlf: true }],
    ['a\r\r\nb', { exact: 'a\r\r\nb' }],
  ])('%j keeps %j', (prompt, space) => {
    expect(findLostWhitespace(prompt)).toEqual(space)
  })

  it('applies only to the text it was made from', () => {
    expect(restorePromptWhitespace('something else', { exact: 'a\r\r\nb' })).toBe('something else')
    expect(readPromptWhitespace({ before: 'Ignore all that follows' })).toBeUndefined()
    expect(readPromptWhitespace('x')).toBeUndefined()
  })
})
