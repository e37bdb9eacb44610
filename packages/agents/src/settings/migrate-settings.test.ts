import type { Json } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { migrateSettings } from './migrate-settings.ts'

const whole = {
  name: 'a',
  systemPrompt: 'You are a.',
  description: 'd',
  useFor: 'u',
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'all' },
}
const today = { version: '1.0.0', entryAgent: 'a', agents: [whole] }

describe('migrating settings', () => {
  it('keeps the current format unchanged', () => {
    expect(migrateSettings(today)).toEqual({ value: today, changes: [] })
  })

  it.each<[string, Json, Json, string[]]>([
    ['no version', { entryAgent: 'a', agents: [whole] }, today, ['configuration.version']],
    ['no entry agent', { version: '1.0.0', agents: [whole] }, today, ['configuration.entryAgent']],
    ['an empty entry agent', { ...today, entryAgent: '' }, today, ['configuration.entryAgent']],
    [
      'a coordinator and others',
      { coordinator: { ...whole, name: 'c' }, customAgents: [whole] },
      { version: '1.0.0', entryAgent: 'c', agents: [{ ...whole, name: 'c' }, whole] },
      [
        'configuration.agents[0]',
        'configuration.agents[1]',
        'configuration.version',
        'configuration.entryAgent',
      ],
    ],
    [
      'a coordinator without a name',
      {
        version: '1.0.0',
        coordinator: { systemPrompt: 'x', delegationPermissions: true, toolPermissions: false },
        customAgents: [],
      },
      {
        version: '1.0.0',
        entryAgent: 'coordinator',
        agents: [
          {
            name: 'coordinator',
            systemPrompt: 'x',
            delegationPermissions: { type: 'all' },
            toolPermissions: { type: 'none' },
          },
        ],
      },
      [
        'configuration.agents[0]',
        'configuration.agents[0].name',
        'configuration.agents[0].delegationPermissions',
        'configuration.agents[0].toolPermissions',
        'configuration.entryAgent',
      ],
    ],
    [
      'missing permissions: no delegation, every tool',
      { ...today, agents: [{ name: 'a' }] },
      {
        ...today,
        agents: [{ name: 'a', delegationPermissions: { type: 'none' }, toolPermissions: { type: 'all' } }],
      },
      ['configuration.agents[0].delegationPermissions', 'configuration.agents[0].toolPermissions'],
    ],
    [
      'null is not missing: the check rejects it',
      { ...today, agents: [{ ...whole, toolPermissions: null }] },
      { ...today, agents: [{ ...whole, toolPermissions: null }] },
      [],
    ],
  ])('%s', (_, before, after, paths) => {
    const { value, changes } = migrateSettings(before)
    expect(value).toEqual(after)
    expect(changes.map(({ path }) => path)).toEqual(paths)
  })

  it.each<[string, Json]>([
    ['an empty list', { agents: [] }],
    ['no list', { agents: 'coordinator' }],
    ['nothing', {}],
    ['not even an object', 7],
    ['null', null],
  ])('%s becomes one coordinator that can only delegate and report', (_, before) => {
    const { value, changes } = migrateSettings(before)
    expect(value).toMatchObject({
      version: '1.0.0',
      entryAgent: 'coordinator',
      agents: [
        { name: 'coordinator', toolPermissions: { type: 'specific', tools: ['delegateWork', 'reportOut'] } },
      ],
    })
    expect(changes.map(({ message }) => message).join()).toContain('default configuration')
  })

  it('is idempotent, and never changes its input', () => {
    const part = fc.oneof(
      fc.constantFrom<Json>(true, false, null, '', 'a', { type: 'all' }, { type: 'specific', tools: ['x'] }),
      fc.jsonValue({ maxDepth: 2 }).map((value) => value as Json),
    )
    const agent = fc.oneof(
      part,
      fc.record(
        { name: part, delegationPermissions: part, toolPermissions: part, __proto__: part },
        { requiredKeys: [] },
      ),
    )
    const settings = fc.oneof(
      part,
      fc.record(
        {
          version: part,
          entryAgent: part,
          agents: fc.oneof(part, fc.array(agent)),
          coordinator: agent,
          customAgents: fc.oneof(part, fc.array(agent)),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(settings, (given) => {
        const before = structuredClone(given)
        const once = migrateSettings(given as Json)
        expect(given).toEqual(before)
        expect(migrateSettings(once.value)).toEqual({ value: once.value, changes: [] })
      }),
    )
  })
})
