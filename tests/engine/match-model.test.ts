import { matchModel, modelPreferences, nearestModels, resolveModel } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const copilot = [
  'claude-haiku-4.5',
  'claude-opus-4.5',
  'claude-opus-4.6',
  'claude-opus-4.6-fast',
  'claude-opus-4.6-1m',
  'claude-sonnet-4',
  'claude-sonnet-4.5',
  'gemini-2.5-pro',
  'gemini-3-pro-preview',
  'gpt-4.1',
  'gpt-4o',
  'gpt-5',
  'gpt-5-mini',
  'gpt-5.3-codex',
  'grok-code-fast-1',
]
const dated = [
  'claude-3-5-sonnet-20241022',
  'claude-sonnet-4-20250514',
  'claude-sonnet-4-5-20250929',
  'gpt-4.1-2025-04-14',
]
const router = [
  'anthropic/claude-sonnet-4.5',
  'openai/gpt-5',
  'x-ai/grok-4.1-fast',
  'deepseek/deepseek-v4:free',
  'qwen2.5:1.5b',
]

describe('a name in an agent’s file resolves to the intended model', () => {
  test.each([
    ['claude-sonnet-4.5', copilot, 'claude-sonnet-4.5'],
    ['Claude Sonnet 4.5', copilot, 'claude-sonnet-4.5'],
    ['Claude Sonnet 4.5 (copilot)', copilot, 'claude-sonnet-4.5'],
    ['claude-sonnet-4-5', copilot, 'claude-sonnet-4.5'],
    ['claude_sonnet_4_5', copilot, 'claude-sonnet-4.5'],
    ['anthropic/claude-sonnet-4-5', copilot, 'claude-sonnet-4.5'],
    ['opencode/claude-sonnet-4-5', copilot, 'claude-sonnet-4.5'],
    ['claude-sonnet-4-5-20250929', copilot, 'claude-sonnet-4.5'],
    ['claude-sonnet-4-20250514', copilot, 'claude-sonnet-4'],
    ['GPT-5 (copilot)', copilot, 'gpt-5'],
    ['GPT-5 mini (copilot)', copilot, 'gpt-5-mini'],
    ['GPT-5.3-Codex (copilot)', copilot, 'gpt-5.3-codex'],
    ['GPT-4o', copilot, 'gpt-4o'],
    ['Gemini 3 Pro (Preview) (copilot)', copilot, 'gemini-3-pro-preview'],
    ['Gemini 3 Pro (copilot)', copilot, 'gemini-3-pro-preview'],
    ['Gemini 2.5 Pro (Preview)', copilot, 'gemini-2.5-pro'],
    ['Claude Opus 4.6 (1M) (copilot)', copilot, 'claude-opus-4.6-1m'],
    ['claude-sonnet-4-5', dated, 'claude-sonnet-4-5-20250929'],
    ['Claude Sonnet 3.5', dated, 'claude-3-5-sonnet-20241022'],
    ['claude-3-5-sonnet-latest', dated, 'claude-3-5-sonnet-20241022'],
    ['GPT-4.1', dated, 'gpt-4.1-2025-04-14'],
    ['openrouter/x-ai/grok-4.1-fast', router, 'x-ai/grok-4.1-fast'],
    ['Claude Sonnet 4.5', router, 'anthropic/claude-sonnet-4.5'],
    ['github-copilot/gpt-5', router, 'openai/gpt-5'],
    ['ollama/qwen2.5:1.5b', router, 'qwen2.5:1.5b'],
    ['sonnet', copilot, 'claude-sonnet-4.5'],
    ['Sonnet', dated, 'claude-sonnet-4-5-20250929'],
    ['haiku', copilot, 'claude-haiku-4.5'],
    ['sonnet', router, 'anthropic/claude-sonnet-4.5'],
    ['claude-opus', copilot, 'claude-opus-4.6'],
  ])('%s', (wanted, catalogue, expected) => {
    expect(matchModel(wanted, catalogue)).toBe(expected)
  })

  test.each([
    // Another variant may be more expensive.
    ['Claude Opus 4.6 (fast mode) (Preview) (copilot)', copilot],
    ['GPT-5 (mini)', ['gpt-5']],
    ['gpt-5-mini', ['gpt-5', 'gpt-5-pro']],
    ['gpt-5', ['gpt-5-mini', 'gpt-5-pro']],
    ['deepseek/deepseek-v4', router],
    ['claude-sonnet-4', ['claude-sonnet-4.5', 'claude-opus-4']],
    ['claude-sonnet-9', copilot],
    ['opus', ['claude-opus-4.6-fast', 'claude-opus-4.6-1m', 'gpt-5']],
    ['opus-fast', copilot],
    ['gpt5', copilot],
    // These are not families with a newest member.
    ['gpt', copilot],
    ['fast', copilot],
    ['mini', copilot],
    ['claude', copilot],
    ['inherit', copilot],
    ['', copilot],
    // It is ambiguous which one is meant.
    ['gpt-5', ['openai/gpt-5', 'azure/gpt-5']],
    ['sonnet', ['anthropic/claude-sonnet-4.5', 'bedrock/claude-sonnet-4.5']],
    ['GPT-5', ['gpt-5', 'Gpt-5']],
  ])('%s is none of these', (wanted, catalogue) => {
    expect(matchModel(wanted, catalogue)).toBeUndefined()
  })

  test('and never one outside the catalogue; its own names are always found', () => {
    const word = fc.constantFrom(
      'claude',
      'sonnet',
      'opus',
      'gpt',
      '4',
      '5',
      '4.5',
      'mini',
      '(copilot)',
      '(Preview)',
      'x/',
      '20250514',
    )
    const name = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join('-'))
    fc.assert(
      fc.property(fc.oneof(name, fc.string()), fc.array(name), (wanted, catalogue) => {
        const found = matchModel(wanted, catalogue)
        expect(found === undefined || catalogue.includes(found)).toBe(true)
        for (const own of catalogue) expect(matchModel(own, catalogue)).toBe(own)
      }),
    )
  })
})

test('suggestions are similar in spelling or in words', () => {
  expect(nearestModels('gpt5', copilot)).toEqual(['gpt-5'])
  expect(nearestModels('Claude Opus 5 (copilot)', copilot)).toEqual([
    'claude-opus-4.5',
    'claude-opus-4.6',
    'claude-opus-4.6-fast',
  ])
  expect(nearestModels('nothing-of-it', copilot)).toEqual([])
})

test('preferences in one line are several', () => {
  expect(modelPreferences(['GPT-4.1 | \'gpt-5\' | "Claude Sonnet 4.5"', ' ', 'opus'])).toEqual([
    'GPT-4.1',
    'gpt-5',
    'Claude Sonnet 4.5',
    'opus',
  ])
})

test('prefers an available model over one that needs a substitute', async () => {
  const found = (name: string, warning?: string) => ({
    kind: 'found' as const,
    model: { id: name, reply: () => Promise.reject(new Error('unreachable: nobody is asked')) },
    ...(warning && { warning, standIn: true as const }),
  })
  const models = {
    resolve: async (name = 'default') => (name === 'there' ? found(name) : found(name, 'another is used')),
  }
  const choose = (...names: string[]) =>
    resolveModel({ models }, { agent: { ...agent, models: names }, model: undefined })
  expect(await choose('gone', 'there')).toEqual({ id: 'there' })
  expect(await choose('gone', 'lost')).toEqual({ id: 'gone' })
})

const agent = { name: 'a', description: '', prompt: '', tools: { kind: 'all' as const } }
