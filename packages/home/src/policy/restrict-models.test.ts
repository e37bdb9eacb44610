import type { Models } from '@cadre/core'
import { matchesPattern } from '@cadre/disk'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restrictModels } from './restrict-models.ts'

const aliases: Record<string, string> = { fast: 'openai:gpt-mini' }
const models: Models = {
  async resolve(name = 'openai:gpt-big') {
    const id = aliases[name] ?? name
    if (id === 'nothing') return { kind: 'unknown', name: id, nearest: ['a'], reason: 'not there' }
    return { kind: 'found', model: { id } as never, warning: 'w' }
  },
}
const allowed = async (name: string | undefined, ...allowedModels: string[][]) =>
  (
    await restrictModels(models, { allowedModels, decidedBy: new Map([['models.allow.1', '/p:7']]) }).resolve(
      name,
    )
  ).kind === 'found'

test.each([
  ['openai:gpt-big', ['openai:gpt-big'], true],
  ['openai:gpt-big', ['openai:gpt-*'], true],
  ['openai:gpt-big', ['gpt-*'], true],
  ['openai:gpt-big', ['*'], true],
  ['openai:gpt-big', ['*-big'], true],
  ['openai:gpt-big', ['o*:*g*b*'], true],
  ['openai:gpt-big', ['gpt'], false],
  ['openai:gpt-big', ['GPT-BIG'], false],
  ['openai:gpt-big', ['scripted:*'], false],
  ['openai:gpt-big', ['openai:gpt-bi'], false],
  ['openai:gpt-big', ['openai:gpt.big'], false],
  ['openai:gpt-big', [], false],
  ['scripted:openai:gpt-big', ['openai:*'], false],
  ['openai:qwen3:8b', ['openai:qwen3:*'], true],
  ['openai:aba', ['ab*ba'], false],
  ['fast', ['fast'], false],
  ['fast', ['gpt-mini'], true],
  [undefined, ['gpt-mini'], false],
])('%s of %j: %s', async (name, patterns, isAllowed) => {
  expect(await allowed(name, patterns)).toBe(isAllowed)
})

test('requires every list to allow the model, and names the one that does not', async () => {
  expect(await allowed('openai:gpt-big', ['gpt-*'], ['*-big'])).toBe(true)
  expect(await allowed('openai:gpt-big', ['gpt-*'], ['*-mini'])).toBe(false)
  const found = await restrictModels(models, {
    allowedModels: [['*'], ['*-mini', 'small']],
    decidedBy: new Map([['models.allow.1', '/p:7']]),
  }).resolve(undefined)
  expect(found).toMatchObject({
    kind: 'unknown',
    code: 'policy',
    reason: expect.stringContaining('/p:7 does not allow the model openai:gpt-big. Allowed: *-mini, small.'),
  })
})

test('allows every model without a list, and leaves unknown models unknown', async () => {
  expect(restrictModels(models, { allowedModels: [], decidedBy: new Map() })).toBe(models)
  expect(
    await restrictModels(models, { allowedModels: [['x']], decidedBy: new Map() }).resolve('nothing'),
  ).toEqual({
    kind: 'unknown',
    name: 'nothing',
    nearest: ['a'],
    reason: 'not there',
  })
})

test('matches patterns like a regular expression, without backtracking', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
  fc.assert(
    fc.property(short, short, (text, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
      expect(matchesPattern(text, pattern)).toBe(expression.test(text))
    }),
    { numRuns: 2000 },
  )
  expect(matchesPattern('a'.repeat(10_000), `${'*a'.repeat(5_000)}b`)).toBe(false)
})
