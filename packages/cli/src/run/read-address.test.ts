import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAddress } from './read-address.ts'

const names = ['reviewer', 'C', 'C# Expert', 'C# Expert Senior', 'SE: DevOps/CI', 'constructor', 'Größe']

test.each([
  ['@reviewer look at it', 'reviewer', 'look at it'],
  ['@Reviewer, look', 'reviewer', 'look'],
  ['@reviewer: look', 'reviewer', 'look'],
  ['@reviewer\n\nlook\nhere', 'reviewer', 'look\nhere'],
  ['@reviewer', 'reviewer', ''],
  ['@"C# Expert" help', 'C# Expert', 'help'],
  ['@"c# expert"', 'C# Expert', ''],
  ['@C# Expert help', 'C# Expert', 'help'],
  ['@C# Expert Senior help', 'C# Expert Senior', 'help'],
  ['@C# Expert Seniority', 'C# Expert', 'Seniority'],
  ['@c help', 'C', 'help'],
  ['@SE: DevOps/CI go', 'SE: DevOps/CI', 'go'],
  ['@GRÖSSE x', undefined, ''],
  ['@größe x', 'Größe', 'x'],
])('%j addresses %j', (text, name, rest) => {
  const address = readAddress(text, names)
  expect(address.kind).toBe(name === undefined ? 'unknown' : 'agent')
  if (name !== undefined) expect(address).toEqual({ kind: 'agent', name, text: rest })
})

test.each([
  ['@reviwer look', 'reviwer'],
  ['@reviewers look', 'reviewers'],
  ['@src/x.ts: look', 'src/x.ts'],
  ['@"C# Expret" x', 'C# Expret'],
  ['@__proto__ x', '__proto__'],
])('%j names an unknown agent', (text, name) => {
  expect(readAddress(text, names)).toEqual({ kind: 'unknown', name })
})

test.each([
  ['look @reviewer', 'look @reviewer'],
  ['\\@reviewer look', '@reviewer look'],
  ['@ home', '@ home'],
  ['@', '@'],
  ['', ''],
])('%j addresses no agent', (text, message) => {
  expect(readAddress(text, names)).toEqual({ kind: 'none', text: message })
})

test('any name can be addressed, quoted or not, followed by the message', () => {
  const name = fc.stringMatching(/^[\p{L}\p{N}#+:&_()' -]{1,40}$/u).filter((text) => text.trim() === text)
  fc.assert(
    fc.property(name, fc.constantFrom('go on', 'x'), (own, text) => {
      expect(readAddress(`@"${own}" ${text}`, [own])).toEqual({ kind: 'agent', name: own, text })
      expect(readAddress(`@${own} ${text}`, [own])).toEqual({ kind: 'agent', name: own, text })
      expect(readAddress(`\\@${own} ${text}`, [own])).toEqual({ kind: 'none', text: `@${own} ${text}` })
    }),
  )
})
