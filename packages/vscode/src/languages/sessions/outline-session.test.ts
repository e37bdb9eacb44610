import { expect, it } from 'vitest'
import { outlineSession, roundsOf, titleOf } from './outline-session.ts'

const session = `session_id: lead-1
system_prompt: |-
  You lead.

  - not an entry
metadata:
  outcome: null # null | completed
  root: lead-1
messages:
  - seq: 1
    timestamp: '2026-11-15T10:05:23.000Z'
    role: user
    content: |-
      Check the cache.
        - seq: 9
    # end 1
  - seq: 2
    timestamp: '2026-11-15T10:05:24.000Z'
    role: assistant
    content: null
    tool_calls:
      - id: a
        type: function
        function:
          name: read_file
          arguments: '{"path":"x"}'
      - id: b
        type: function
        function:
          name: 'search_files'
          arguments: '{}'
    # end 2
  - seq: 3
    timestamp: '2026-11-15T10:05:24.000Z'
    role: event
    type: call.started
    call: a
    # end 3
  - seq: 4
    timestamp: '2026-11-15T10:05:25.000Z'
    role: tool_result
    tool_call_id: a
    content: 'It''s there'
    # end 4

  - role: user
    content: Go on
`

it('finds the parts of a session file', async () => {
  const { header, entries } = await outlineSession(session.split('\n'))
  expect(header).toEqual([
    { name: 'system_prompt', first: 1, last: 4 },
    { name: 'metadata', first: 5, last: 7 },
  ])
  expect(entries.map(({ first, last, seq, text }) => [first, last, seq, text])).toEqual([
    [9, 15, '1', 'Check the cache.'],
    [16, 31, '2', ''],
    [32, 37, '3', ''],
    [38, 43, '4', "It's there"],
    [45, 46, undefined, 'Go on'],
  ])
  expect(entries.map(titleOf)).toEqual([
    'user',
    'assistant: read_file, search_files',
    'call.started',
    'tool_result',
    'user',
  ])
})

it('groups an answer with the results of its calls', async () => {
  const { entries } = await outlineSession(session.split('\n'))
  expect(roundsOf(entries).map(({ first, last }) => [first, last])).toEqual([
    [9, 15],
    [16, 43],
    [45, 46],
  ])
})

it('yields in a large file', async () => {
  const entry = session.slice(session.indexOf('  - seq: 2'), session.indexOf('  - seq: 3'))
  let pauses = 0
  const lines = `messages:\n${entry.repeat(10_000)}`.split('\n')
  const { entries } = await outlineSession(lines, async () => pauses++)
  expect(entries.length).toBe(10_000)
  expect(pauses).toBe(5)
})
