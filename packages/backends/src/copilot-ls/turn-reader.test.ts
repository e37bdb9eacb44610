import { describe, expect, it } from 'vitest'
import { TurnReader } from './turn-reader.ts'
import type { ProgressValue } from './wire-types.ts'

function read(values: readonly ProgressValue[]) {
  const told: string[] = []
  const reader = new TurnReader((delta) => told.push(delta))
  for (const value of values) reader.read(value)
  return { reader, told }
}

const round = (roundId: number, reply: string): ProgressValue => ({
  kind: 'report',
  editAgentRounds: [{ roundId, reply }],
})
const end: ProgressValue = { kind: 'end' }

describe('the text of a turn', () => {
  it.each<[string, readonly ProgressValue[], string | null]>([
    ['pieces of a round', [round(1, 'Hel'), round(1, 'lo'), round(1, ' you')], 'Hello you'],
    ['the whole round so far, each time', [round(1, 'H'), round(1, 'Hel'), round(1, 'Hello')], 'Hello'],
    ['equal pieces', [round(1, '-'), round(1, '-'), round(1, '-')], '---'],
    ['pieces with a common prefix', [round(1, 'a'), round(1, 'ab'), round(1, 'c')], 'aabc'],
    ['a round that is repeated at its end', [round(1, 'Hel'), round(1, 'Hello'), round(1, 'Hello')], 'Hello'],
    ['two rounds', [round(1, 'One.'), round(2, 'Two.')], 'One.\n\nTwo.'],
    [
      'plain replies',
      [
        { kind: 'report', reply: 'Hel' },
        { kind: 'report', reply: 'lo' },
      ],
      'Hello',
    ],
    [
      'deltas',
      [
        { kind: 'report', delta: 'Hel' },
        { kind: 'report', delta: 'lo' },
      ],
      'Hello',
    ],
    ['a message', [{ kind: 'report', message: 'Hello' }], 'Hello'],
    ['a title that is not text', [{ kind: 'begin', message: 'Conversation 1' }, round(1, 'Hello')], 'Hello'],
    ['text that is hidden', [{ ...round(1, 'secret'), hideText: true }, round(1, 'Hello')], 'Hello'],
    ['text of a subagent', [{ ...round(1, 'other'), parentTurnId: 'p' }, round(1, 'Hello')], 'Hello'],
    ['text only at the end', [{ kind: 'end', reply: 'Hello' }], 'Hello'],
    ['the text again at the end', [round(1, 'Hello'), { kind: 'end', reply: 'Hello' }], 'Hello'],
    ['more text at the end', [round(1, 'Hel'), { kind: 'end', message: 'Hello' }], 'Hello'],
    [
      'an error at the end, which is not text',
      [{ kind: 'end', message: 'x', error: { message: 'x' } }],
      null,
    ],
    ['nothing', [end], null],
  ])('is read from %s', (_, values, expected) => {
    const { reader, told } = read(values)
    reader.answered(undefined)
    expect(reader.takeText()).toBe(expected)
    if (expected !== null && !expected.includes('\n')) expect(expected.startsWith(told[0] ?? '')).toBe(true)
  })

  it('is returned once per call, and the rest at the end', () => {
    const { reader } = read([round(1, 'I look.')])
    expect(reader.takeText()).toBe('I look.')
    expect(reader.takeText()).toBeNull()
    reader.read(round(2, 'I saw.'))
    reader.read(end)
    expect(reader.takeText()).toBe('I saw.')
  })

  it('is found at the end, even after earlier text', () => {
    const { reader } = read([round(1, 'I look.')])
    reader.takeText()
    reader.read({ kind: 'end', reply: 'I saw.' })
    expect(reader.takeText()).toBe('I saw.')
  })

  it('is found in the answer if it is nowhere else', () => {
    const { reader, told } = read([{ kind: 'begin', conversationId: 'c', turnId: 't' }, end])
    reader.answered({ response: 'Hello' })
    expect(reader.takeText()).toBe('Hello')
    expect(told).toEqual(['Hello'])
  })

  it('is rejected above 10 million characters, in pieces, rounds or at the end', () => {
    const million = (roundId: number) => round(roundId, 'x'.repeat(1_000_000))
    expect(read(Array(10).fill(million(1))).reader.isTooLong).toBe(false)
    expect(read(Array(11).fill(million(1))).reader.isTooLong).toBe(true)
    expect(read(Array.from({ length: 11 }, (_, id) => million(id))).reader.isTooLong).toBe(true)
    expect(read([{ kind: 'end', reply: 'x'.repeat(10_000_001) }]).reader.isTooLong).toBe(true)
  })

  it('is not rejected if the server only repeats it', () => {
    const { reader } = read(Array.from({ length: 30 }, (_, more) => round(1, 'x'.repeat(1_000_000 + more))))
    expect(reader.isTooLong).toBe(false)
    expect(reader.takeText()).toHaveLength(1_000_029)
  })

  it('is streamed as it grows, each part once', () => {
    expect(read([round(1, 'H'), round(1, 'Hel'), round(1, 'Hello')]).told).toEqual(['H', 'el', 'lo'])
    expect(read([round(1, 'Hel'), round(1, 'lo')]).told).toEqual(['Hel', 'lo'])
  })
})

describe('the usage of a turn', () => {
  const size = (totalUsedTokens: number): ProgressValue => ({
    kind: 'report',
    contextSize: { totalUsedTokens },
  })

  it('is the server’s total at the end, minus the usage of earlier replies', () => {
    const { reader } = read([size(1000), size(1010)])
    expect(reader.takeUsage()).toEqual({ input: 1000, output: 10 })
    expect(reader.takeUsage()).toBeUndefined()
    reader.read(size(1200))
    reader.read({ kind: 'report', tokenUsage: { promptTokens: 2300, completionTokens: 50 } })
    reader.read(end)
    expect(reader.takeUsage()).toEqual({ input: 1300, output: 40 })
  })

  it('is never negative', () => {
    const { reader } = read([size(1000)])
    reader.takeUsage()
    reader.read({ kind: 'report', tokenUsage: { promptTokens: 200, completionTokens: 5 } })
    reader.read(end)
    expect(reader.takeUsage()).toEqual({ input: 0, output: 5 })
  })
})
