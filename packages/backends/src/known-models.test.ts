import { describe, expect, it } from 'vitest'
import { publishedModelInfo } from './known-models.ts'

describe('the table of known models', () => {
  it.each([
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-opus-5', 5],
    ['claude-opus-5-latest', 5],
    ['claude-opus-5-5', undefined],
    ['claude-sonnet-4-20250514', undefined],
    ['gpt-5', 1.25],
    ['gpt-5-mini-2025-08-07', 0.25],
    ['gpt-5-codex', undefined],
    ['gpt-5.9', undefined],
    ['claude-sonnet-4-9', undefined],
    ['constructor', undefined],
  ])('has the price of exactly that model: %s', (name, input) => {
    expect(publishedModelInfo(name, { isOfficial: true }).price?.input).toBe(input)
  })

  it('has no price for another server, and a window only if the name is unambiguous', () => {
    expect(publishedModelInfo('gpt-4o', { isOfficial: false })).toEqual({})
    expect(publishedModelInfo('claude-haiku-4-5', { isOfficial: false })).toEqual({
      window: 200_000,
      maxOutput: 64_000,
    })
  })
})
