import type { AgentDefinition, Handoff, Json, PermissionRule } from '@cadre/core'
import fc from 'fast-check'
import { hostileStrings } from '../../../disk/src/yaml/hostile-strings.spec-helpers.ts'

/** Definitions that files can express, without anything that reading trims or omits. */

const hostile = fc.constantFrom(...hostileStrings(300).filter((text) => text.length < 300))
const anyText = fc.oneof(
  { weight: 3, arbitrary: hostile },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)
const trimmed = anyText.map((text) => text.trim()).filter((text) => text !== '')
const name = fc.oneof(
  fc.constantFrom(
    'reviewer',
    'C# Expert',
    'SE: DevOps/CI',
    'no',
    '7',
    'a',
    '- x',
    "O'Neil",
    '*',
    '日本語',
    'x,y',
  ),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,50}$/),
)
const plainName = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/)
const toolName = fc.constantFrom(
  'read',
  'Read',
  'edit',
  'Bash',
  'Task',
  'agent',
  'search/codebase',
  'mcp__x__y',
  'context7/*',
  'no',
  '7',
  '2026-11-15',
)
const pattern = fc.constantFrom(
  '*',
  'git *',
  'rm -rf *',
  'a, b',
  'x(y)',
  'src/**',
  'git:status',
  '?',
  ' spaced ',
  '',
)
const rule: fc.Arbitrary<PermissionRule> = fc.record({
  tool: fc.constantFrom('Bash', 'edit', '*', 'webfetch', 'mcp__x__y'),
  pattern,
  action: fc.constantFrom('allow', 'ask', 'deny'),
})
const handoff: fc.Arbitrary<Handoff> = fc.record(
  {
    label: trimmed,
    agent: trimmed,
    prompt: anyText.map((text) => text.trim()),
    send: fc.boolean(),
    model: trimmed,
    context: fc.constantFrom('full', 'summary', 'none'),
  },
  { requiredKeys: ['label', 'agent', 'prompt'] },
)
const model = fc.constantFrom(
  'gpt-5',
  'Claude Sonnet 4.6 (copilot)',
  'openai:gpt-5',
  'opencode/grok-code',
  '4.1',
  'no',
  'a, b',
  'x: y',
)
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      anyText.filter((key) => key.length < 200 && key !== '<<'),
      tie('value'),
      { maxKeys: 3 },
    ),
  ),
})).value
/** Keys without any meaning, and keys with a meaning in only one dialect. */
const unknownKey = fc.oneof(
  fc.constantFrom(
    'argument-hint',
    'target',
    'color',
    'temperature',
    'metadata',
    'kind',
    'apiVersion',
    'spec',
    'mode',
    'prompt',
    'id',
    'capabilities',
    'system_prompt',
    'icon',
    'tool',
    'toolPermissions',
    'cadreUnset',
    '__proto__',
    'constructor',
    'key with: signs',
  ),
  fc.stringMatching(/^x[a-z]{2,8}$/),
)
const data = json.filter((value) => value !== null)

export const prompt = fc.oneof(
  anyText,
  fc
    .array(
      fc.constantFrom(
        'You are a reviewer.',
        '---',
        '```md',
        '```',
        '---\nname: x\ntools: []\n---',
        '\n',
        '\r\n',
        ' ',
        '  two spaces  \n',
        'tools: [read]',
        '# Heading',
        '\ufeff',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
)

const optional = {
  useFor: trimmed,
  type: trimmed,
  disallowedTools: fc.uniqueArray(toolName, { minLength: 1, maxLength: 4 }),
  permissions: fc.array(rule, { minLength: 1, maxLength: 5 }),
  boundary: fc.oneof(
    fc.record({
      writes: fc.constantFrom('none' as const, 'artifact' as const),
      commands: fc.constantFrom('none' as const, 'copy' as const),
    }),
    fc.record({ commands: fc.constantFrom('none' as const, 'copy' as const) }),
  ),
  models: fc.array(model, { minLength: 1, maxLength: 3 }),
  limits: fc
    .record(
      {
        maxTurns: fc.integer({ min: 1, max: 1_000 }),
        timeoutSeconds: fc.integer({ min: 1, max: 100_000 }),
        budget: fc.record(
          {
            tokens: fc.integer({ min: 1 }),
            cost: fc.double({ min: 0.01, max: 1_000, noNaN: true }),
            calls: fc.integer({ min: 1 }),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    .filter((limits) => Object.keys(limits).length > 0),
  requiredSections: fc.array(anyText, { maxLength: 4 }),
  handoffs: fc.array(handoff, { maxLength: 3 }),
  isolation: fc.constantFrom('shared' as const, 'workspace' as const),
  background: fc.boolean(),
  hooks: data,
  mcpServers: data,
  userInvocable: fc.boolean(),
  modelInvocable: fc.boolean(),
  unknown: fc.dictionary(unknownKey, json, { minKeys: 1, maxKeys: 4 }),
}
const tools = fc.oneof(
  fc.constant({ kind: 'all' } as const),
  fc.record({ kind: fc.constant('list' as const), names: fc.uniqueArray(toolName, { maxLength: 5 }) }),
)

/** Any agent that a file of some dialect can express. */
export const definition = fc
  .record(
    {
      name,
      description: fc.oneof(fc.constant(''), trimmed),
      prompt,
      tools,
      delegates: fc.oneof(
        fc.constantFrom({ kind: 'all' } as const, { kind: 'none' } as const),
        fc.record({
          kind: fc.constant('list' as const),
          names: fc.uniqueArray(fc.oneof(plainName, fc.constantFrom('C# Expert', 'SE: DevOps/CI')), {
            minLength: 1,
            maxLength: 4,
          }),
        }),
      ),
      ...optional,
    },
    { requiredKeys: ['name', 'description', 'prompt', 'tools'] },
  )
  .map(ordinary) as fc.Arbitrary<AgentDefinition>

/** Agents that settings can express: they name only each other. */
export const team: fc.Arbitrary<readonly AgentDefinition[]> = fc
  .uniqueArray(plainName, {
    minLength: 1,
    maxLength: 5,
    comparator: (a, b) => a.toLowerCase() === b.toLowerCase(),
  })
  .chain((names) =>
    fc.tuple(
      ...names.map((own) =>
        fc.record(
          {
            name: fc.constant(own),
            description: fc.oneof(
              fc.constant(''),
              fc.constant(own),
              trimmed.filter((text) => text.length < 200),
            ),
            prompt: prompt.filter((text) => text.trim() !== ''),
            tools,
            delegates: fc.oneof(
              fc.constantFrom({ kind: 'all' } as const, { kind: 'none' } as const),
              fc.record({
                kind: fc.constant('list' as const),
                names: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
              }),
            ),
            ...optional,
            useFor: trimmed.filter((text) => text.length < 200),
          },
          { requiredKeys: ['name', 'description', 'prompt', 'tools'] },
        ),
      ),
    ),
  )
  .map(ordinary) as fc.Arbitrary<readonly AgentDefinition[]>

/** Generated objects may lack a prototype, unlike parsed ones. */
function ordinary<T>(value: T): T {
  if (Array.isArray(value)) return value.map(ordinary) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, ordinary(part)])) as T
}
