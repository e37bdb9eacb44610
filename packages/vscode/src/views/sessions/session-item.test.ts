import { expect, test } from 'vitest'
import type { ListedSession } from './session-forest.ts'
import {
  type SessionItem,
  sessionContext,
  sessionDescription,
  sessionTooltip,
  stateOf,
} from './session-item.ts'

const entry: ListedSession = {
  id: 'lead-1',
  agent: 'lead',
  status: 'active',
  created: '2026-01-01T10:00:00.000Z',
  updated: '2026-01-01T10:00:00.000Z',
  work: 'Say hello.',
}
const item = (changes: Partial<SessionItem>): SessionItem => ({
  ...entry,
  state: 'here',
  owner: 'here',
  hasChildren: false,
  isRoot: true,
  ...changes,
})
const now = Date.parse('2026-01-01T10:05:00.000Z')

test.each([
  [{}, 'here', undefined, 'here'],
  [{}, 'elsewhere', undefined, 'elsewhere'],
  [{}, 'elsewhere', true, 'waiting'],
  [{}, undefined, undefined, 'stopped'],
  [{ status: 'sleeping' }, undefined, undefined, 'waiting'],
  [{ status: 'sleeping' }, undefined, true, 'waiting'],
  [{ status: 'sleeping' }, undefined, false, 'answered'],
  [{}, undefined, true, 'stopped'],
  [{ status: 'completed', outcome: 'completed' }, undefined, undefined, 'completed'],
  [{ status: 'completed', outcome: 'incomplete' }, undefined, undefined, 'incomplete'],
  [{ status: 'error', outcome: 'cancelled' }, undefined, undefined, 'cancelled'],
  [{ status: 'error' }, undefined, undefined, 'error'],
  [{ fault: 'torn' }, undefined, undefined, 'unreadable'],
] as const)('the state of %j, owned %s, is %4$s', (changes, owner, waits, expected) => {
  expect(stateOf({ ...entry, ...changes }, owner, waits)).toBe(expected)
})

test.each([
  [
    { activity: 'write_file a.txt' },
    'running · write_file a.txt · 5 min ago · Say hello.',
    'session running',
  ],
  [
    { state: 'elsewhere', owner: 'elsewhere' },
    'running in another process · 5 min ago · Say hello.',
    'session running',
  ],
  [{ state: 'waiting', owner: 'elsewhere' }, 'waiting for you · 5 min ago · Say hello.', 'session running'],
  [{ state: 'waiting', isRoot: false }, 'waiting for you · 5 min ago · Say hello.', 'session running'],
  [{ state: 'waiting', owner: undefined }, 'waiting for you · 5 min ago · Say hello.', 'session resumable'],
  [{ state: 'answered', owner: undefined }, 'ready to resume · 5 min ago · Say hello.', 'session resumable'],
  [{ state: 'stopped', owner: undefined }, 'stopped · 5 min ago · Say hello.', 'session resumable'],
  [{ state: 'stopped', owner: undefined, isRoot: false }, 'stopped · 5 min ago · Say hello.', 'session'],
  [{ state: 'completed', owner: undefined }, '5 min ago · Say hello.', 'session'],
  [{ state: 'incomplete', owner: undefined }, 'incomplete · 5 min ago · Say hello.', 'session'],
  [{ state: 'cancelled', owner: undefined }, 'cancelled · 5 min ago · Say hello.', 'session resumable'],
  [{ state: 'error', owner: undefined }, 'failed · 5 min ago · Say hello.', 'session resumable'],
  [{ state: 'unreadable', fault: 'torn' }, 'cannot be read', 'session'],
] as const)('%j is described as %j', (changes, description, context) => {
  expect(sessionDescription(item(changes), now)).toBe(description)
  expect(sessionContext(item(changes))).toBe(context)
})

test('the tooltip has the model and the usage', () => {
  const detail = { model: 'gpt-5', rounds: 2, calls: 3, input: 12_345, output: 67, cost: 0.0123 }
  expect(sessionTooltip(item({ state: 'completed' }), detail)).toContain(
    'lead: completed\nWork: Say hello.\nModel: gpt-5\nUsed: 12,345 tokens in, 67 out, $0.0123 (not including the sessions below)\nRounds: 2, calls: 3\n',
  )
})
