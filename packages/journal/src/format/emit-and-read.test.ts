import type { Entry, SessionSpec } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { hostileStrings } from '../../../disk/src/yaml/hostile-strings.spec-helpers.ts'
import { emitEntry } from './emit-entry.ts'
import { emitJournal, read, specOf, timestamp } from './journal.spec-helpers.ts'
import { readEntry } from './read-entry.ts'
import { TextCursor } from './text-cursor.ts'

/** The expected value after reading: text files cannot contain lone surrogates. */
function wellFormed<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part) => (typeof part === 'string' ? part.toWellFormed() : part)),
  )
}

/** Entries with a string in every possible field, three strings at a time. */
function entriesOf(strings: readonly string[]): Entry[] {
  const text = (index: number) => strings[index % strings.length] as string
  return Array.from({ length: Math.ceil(strings.length / 3) }, (_, index): Entry => {
    const [a, b, c] = [text(index * 3), text(index * 3 + 1), text(index * 3 + 2)]
    const recorded = { seq: index + 1, timestamp }
    switch (index % 4) {
      case 0:
        return { ...recorded, role: 'user', content: a, from: b, collected: [c] }
      case 1: {
        const call = { id: b, type: 'function', function: { name: c, arguments: a } } as const
        return { ...recorded, role: 'assistant', content: c, tool_calls: [call, { ...call, id: a }] }
      }
      case 2:
        return { ...recorded, role: 'tool_result', tool_call_id: a, content: b, code: c }
      default:
        return {
          ...recorded,
          role: 'event',
          type: 'call.started',
          content: a,
          detail: { [b]: c },
          list: [a, null, 1.5, true],
        }
    }
  })
}

/** Compares only the first difference, because comparing thousands of entries at once would be slow. */
function expectSame(found: readonly unknown[] | undefined, expected: readonly unknown[]): void {
  expect(found).toHaveLength(expected.length)
  const at = expected.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(found?.[index]))
  if (at >= 0) expect(found?.[at]).toEqual(expected[at])
}

describe('written entries are read back', () => {
  const entries = entriesOf(hostileStrings(process.env['CADRE_DEEP'] ? 45_000 : 3_000))
  const text = emitJournal(entries)
  const expected = wellFormed(entries)

  it('by our reader, without help', () => {
    const cursor = new TextCursor(entries.map(emitEntry).join(''))
    expectSame(
      expected.map(() => readEntry(cursor)),
      expected,
    )
    expect(cursor.at).toBe(cursor.text.length)
  })

  it('by our reader, from a file', () => {
    expectSame(read(text)?.entries, expected)
  })

  it('by a complete YAML parser', () => {
    expectSame(parse(text, { prettyErrors: false, uniqueKeys: false }).messages, expected)
  })
})

describe('a header', () => {
  const string = fc.oneof(fc.constantFrom(...hostileStrings(400, 7)), fc.string({ unit: 'binary' }))
  const agent: fc.Arbitrary<SessionSpec['agent']> = fc.record(
    {
      name: string,
      description: string,
      prompt: string,
      tools: fc.constantFrom({ kind: 'all' }, { kind: 'list', names: ['read', '007'] }),
      type: string,
      models: fc.array(string),
      unknown: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<string>),
    },
    { requiredKeys: ['name', 'description', 'prompt', 'tools'] },
  ) as fc.Arbitrary<SessionSpec['agent']>
  const spec: fc.Arbitrary<SessionSpec> = fc.record(
    {
      id: fc.constantFrom('lead-1', '007', '1e3', 'true', 'a b'),
      root: string,
      agent,
      systemPrompt: string,
      model: string,
      parent: fc.record({ session: fc.constantFrom('lead-1', '007'), call: string }),
      depth: fc.nat(),
      chain: fc.array(string),
      targets: fc.array(string),
      completion: fc.constantFrom('text' as const, 'report' as const),
      delegation: fc.boolean(),
      limits: fc.record({
        maxRounds: fc.nat(),
        timeLimit: fc.nat(),
        budget: fc.record({ cost: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
      }),
      workspace: string,
      work: fc.record(
        {
          content: string,
          images: fc.array(fc.record({ mime: string, data: string })),
          from: string,
          message: string,
        },
        { requiredKeys: ['content'] },
      ),
      history: fc.array(
        fc.record({ role: fc.constantFrom('user' as const, 'assistant' as const), content: string }),
      ),
      created: fc.constant(timestamp),
    },
    {
      requiredKeys: [
        'id',
        'root',
        'agent',
        'systemPrompt',
        'model',
        'depth',
        'chain',
        'targets',
        'completion',
        'delegation',
        'limits',
        'workspace',
        'work',
        'created',
      ],
    },
  )

  it('contains the whole specification', () => {
    fc.assert(
      fc.property(spec, (original) => {
        const text = emitJournal([], original)
        const journal = read(text, { id: original.id })
        expect(journal?.layout).toBeDefined()
        expect(journal?.spec).toEqual(wellFormed(original))
        expect(parse(text).system_prompt).toBe(original.systemPrompt.toWellFormed())
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 150 : 5, seed: 11 },
    )
  })

  it('does not repeat the agent’s prompt if the system prompt starts with it', () => {
    const own = 'You are careful, and say so in every sentence.'
    const text = emitJournal(
      [],
      specOf('a', { agent: { ...specOf('a').agent, prompt: own }, systemPrompt: `${own}\nMore.` }),
    )
    expect(text.split(own)).toHaveLength(2)
  })
})
