import type { CadreError, Entry } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { hostileStrings } from '../../../disk/src/yaml/hostile-strings.spec-helpers.ts'
import { emitJournal, read, specOf, timestamp } from './journal.spec-helpers.ts'

const user = (seq: number, content: string): Entry => ({ seq, timestamp, role: 'user', content })

const seedId = { id: '1e3' }

function failure(text: string | Buffer): CadreError {
  try {
    read(text)
  } catch (error) {
    return error as CadreError
  }
  throw new Error('it was read')
}

describe('the minimal format', () => {
  const seed = `agent_type: planner
agent_id: 007
messages:
- role: user
  content: Can you check if Redis is running?
  timestamp: 2026-11-15T10:05:23Z
- content: I will break this down into steps.
  role: assistant
  tool_calls:
    - id: 0123
      type: function
      function: {name: create_task, arguments: {file: tasks/redis.task.md, urgent: true}}
- role: tool_result
  tool_call_id: 0123
  content: {success: true, task_ids: [task-abc123]}
- {role: user, content: 42}
metadata: {capabilities: [query_tasks, create_task], owner: boss}
session_id: 1e3
system_prompt: >
  You are
  a planner.
status: sleeping
model: claude-sonnet-4.5
created: 2026-11-15T10:00:00Z
`

  it('is understood', () => {
    const journal = read(seed, seedId)
    expect(journal?.entries).toEqual([
      {
        seq: 1,
        timestamp: '2026-11-15T10:05:23Z',
        role: 'user',
        content: 'Can you check if Redis is running?',
      },
      {
        seq: 2,
        timestamp: '2026-11-15T10:05:23Z',
        role: 'assistant',
        content: 'I will break this down into steps.',
        tool_calls: [
          {
            id: '0123',
            type: 'function',
            function: { name: 'create_task', arguments: '{"file":"tasks/redis.task.md","urgent":true}' },
          },
        ],
      },
      {
        seq: 3,
        timestamp: '2026-11-15T10:05:23Z',
        role: 'tool_result',
        tool_call_id: '0123',
        content: '{"success":true,"task_ids":["task-abc123"]}',
      },
      { seq: 4, timestamp: '2026-11-15T10:05:23Z', role: 'user', content: '42' },
    ])
    expect(journal).toMatchObject({
      status: 'sleeping',
      outcome: undefined,
      extra: { owner: 'boss' },
      openLine: false,
    })
    expect(journal?.layout).toBeUndefined()
    expect(journal?.spec).toMatchObject({
      id: '1e3',
      root: '1e3',
      agent: { name: '007', type: 'planner', tools: { kind: 'list', names: ['query_tasks', 'create_task'] } },
      systemPrompt: 'You are a planner.\n',
      work: { content: 'Can you check if Redis is running?' },
      workspace: '/work/007',
      completion: 'text',
    })
  })

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['no end of the last line', (text: string) => text.trimEnd()],
    [
      'messages first',
      (text: string) => `${text.slice(text.indexOf('messages:'))}${text.slice(0, text.indexOf('messages:'))}`,
    ],
  ])('is understood with %s', (_, change) => {
    expect(read(change(seed), seedId)).toMatchObject({
      entries: read(seed, seedId)?.entries,
      spec: { id: '1e3', systemPrompt: 'You are a planner.\n' },
    })
  })

  it('is read if results have the role `tool` and name only their tool', () => {
    const text = `session_id: a
messages:
  - role: assistant
    content: ~
    tool_calls: [{id: c1, name: read, arguments: '{}'}, {name: list}]
  - {role: tool, name: list, content: two}
  - {role: tool, name: read, content: one}
`
    expect(read(text)?.entries).toMatchObject([
      {
        content: null,
        tool_calls: [
          { id: 'c1', function: { name: 'read' } },
          { id: 'call_2', function: { arguments: '{}' } },
        ],
      },
      { role: 'tool_result', tool_call_id: 'call_2', content: 'two' },
      { role: 'tool_result', tool_call_id: 'c1', content: 'one' },
    ])
  })

  it('has no tools if the file lists none', () => {
    expect(read('session_id: a\nmessages: []\n')?.spec.agent.tools).toEqual({ kind: 'list', names: [] })
  })
})

describe('a journal that a person has edited', () => {
  const written = emitJournal([user(1, 'one'), user(2, 'two'), user(3, 'three')])

  it.each([
    ['at the end, without an end of line', `${written}  - role: user\n    content: mine`],
    ['at the end, in flow notation', `${written}  - {role: user, content: mine}\n`],
    [
      'at the end, below blank lines and remarks',
      `${written}\n  # a remark\n  - content: mine\n    role: user\n`,
    ],
    [
      'at the end, with a number',
      `${written}  - seq: 4\n    timestamp: '${timestamp}'\n    role: user\n    content: "mine"\n    # end 4\n`,
    ],
  ])('takes an entry added %s', (_, text) => {
    const journal = read(text)
    expect(journal?.entries).toEqual([user(1, 'one'), user(2, 'two'), user(3, 'three'), user(4, 'mine')])
    expect(journal?.layout).toBeDefined()
    expect(journal?.torn).toBeUndefined()
    expect(journal?.good).toBe(Buffer.byteLength(text))
  })

  it('continues numbering from an entry in the middle', () => {
    const text = written.replace('  - seq: 2\n', '  - role: user\n    content: mine\n  - seq: 2\n')
    expect(read(text)?.entries).toEqual([user(1, 'one'), user(2, 'mine'), user(3, 'two'), user(4, 'three')])
  })

  it.each([
    ['a quoted value with a remark', '"two" # changed', 'two'],
    ['a single-quoted value with a remark', "'two' # it's changed", 'two'],
    ['a plain value with a remark', 'two # changed', 'two'],
    ['a folded block', '>-\n      two\n      three', 'two three'],
    ['a deeper block', '|-\n         two\n           three', 'two\n  three'],
    ['a plain value over two lines', 'two\n      three', 'two three'],
    ['a number', '0017', '0017'],
    ['another kind of quotes', '"\\x41\\e"', 'A\u001b'],
  ])('reads %s as YAML does', (_, source, content) => {
    expect(read(written.replace('content: two', `content: ${source}`))?.entries[1]).toEqual(user(2, content))
  })

  it.each([
    ['CRLF', written.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${written}`],
    ['trimmed padding', written.replace(/status: active +/, 'status: active ')],
    ['another indentation', written.replace(/^ {2}(- seq| {2})/gm, '$1')],
    ['keys behind the messages', `${written}notes: mine\n`],
  ])('with %s cannot be continued as it is, and says the same', (_, text) => {
    const journal = read(text)
    expect(journal?.entries).toEqual(read(written)?.entries)
    expect(journal?.spec).toEqual(read(written)?.spec)
    expect(journal?.layout).toBeUndefined()
  })

  it('under another name is a separate session', () => {
    const journal = read(written, { id: 'copy-1' })
    expect(journal?.spec).toEqual({ ...specOf('lead-1'), id: 'copy-1', root: 'copy-1' })
    expect(journal?.layout).toBeUndefined()
  })

  it('keeps unknown keys', () => {
    expect(read(written.replace('  root:', '  mine: [1, 2]\n  root:'))?.extra).toEqual({ mine: [1, 2] })
  })
})

describe('unreadable files', () => {
  const written = emitJournal([user(1, 'one'), user(2, 'two')])
  const line = (mark: string) => written.slice(0, written.indexOf(mark)).split('\n').length

  it.each([
    ['a quote that does not end', written.replace('content: one', "content: 'one"), line('content: one')],
    [
      'an entry without a role',
      written.replace('    role: user\n    content: two', '    content: two'),
      line('  - seq: 2'),
    ],
    [
      'an unknown role',
      written.replace('role: user\n    content: two', 'role: boss\n    content: two'),
      line('  - seq: 2'),
    ],
    [
      'a key that is there twice',
      written.replace('content: one', 'role: user\n    content: one'),
      line('content: one'),
    ],
    ['an unknown status', written.replace('status: active   ', 'status: finished '), line('status:')],
    ['a depth that is no number', written.replace('depth: 0', 'depth: deep'), line('depth: 0')],
    [
      'a key without end',
      written.replace('content: one', `content: one\n    ${'k'.repeat(300)}: 1`),
      line('  - seq: 1'),
    ],
    ['a list as a file', '- a\n- b\n', 1],
    ['messages that are no list', 'session_id: a\nmessages: none\n', 2],
    ['a result of no call', 'session_id: a\nmessages:\n  - {role: tool_result, content: x}\n', 2],
    ['zero bytes in the middle', written.replace('two', 't\0o'), line('content: two')],
  ])('%s is named with its line', (_, text, at) => {
    const error = failure(text)
    expect(error.code).toBe('corrupt')
    expect(error.where).toBe(`sessions/lead-1.session.yaml:${at}`)
    expect(error.message).toMatch(/^sessions\/lead-1\.session\.yaml:\d+: [a-z].*\.$/)
    expect(error.message).not.toContain('\n')
  })

  it('include text in another encoding', () => {
    expect(failure(Buffer.from(written.replace('two', 'zw\u00f6lf'), 'latin1')).where).toMatch(
      `:${line('content: two')}`,
    )
  })
})

describe('a truncated journal', () => {
  const strings = hostileStrings(400, 3).filter((text) => text.length < 300)
  const text = (index: number) => strings[(index * 7) % strings.length] as string
  const entries = Array.from({ length: 28 }, (_, index): Entry => {
    const recorded = { seq: index + 1, timestamp }
    if (index % 4 === 0) return { ...recorded, role: 'user', content: text(index) }
    if (index % 4 === 1) {
      const call = {
        id: `call_${index}`,
        type: 'function',
        function: { name: 'f', arguments: text(index) },
      } as const
      return { ...recorded, role: 'assistant', content: null, tool_calls: [call] }
    }
    if (index % 4 === 2)
      return {
        ...recorded,
        role: 'event',
        type: 'call.started',
        call: `call_${index - 1}`,
        detail: text(index),
      }
    return {
      ...recorded,
      role: 'tool_result',
      tool_call_id: `call_${index - 2}`,
      content: `${text(index)}\nmore\n`,
    }
  })
  const wellFormed = JSON.parse(JSON.stringify(entries), (_, part) =>
    typeof part === 'string' ? part.toWellFormed() : part,
  )
  const whole = Buffer.from(emitJournal(entries))
  const ends = entries.map((_, index) => Buffer.byteLength(emitJournal(entries.slice(0, index + 1))))
  const head = Buffer.byteLength(emitJournal([]))

  it('returns exactly the complete entries, for a cut at any byte', () => {
    const sizes = [head, ...ends]
    let counted = -1
    for (let cut = head; cut <= whole.length; cut++) {
      const journal = read(whole.subarray(0, cut))
      // The last line ending may be missing: the marker is complete, so nothing is lost.
      const count = ends.filter((end) => end <= cut || end === cut + 1).length
      const good = Math.min(sizes[count] as number, cut)
      const found = [journal?.entries.length, journal?.good, journal?.torn?.length ?? 0]
      if (found.join() !== [count, good, cut - good].join()) expect.fail(`cut at ${cut}: ${found.join()}`)
      if (count !== counted) expect(journal?.entries).toEqual(wellFormed.slice(0, count))
      counted = count
    }
    expect(read(whole)?.entries).toEqual(wellFormed)
  })

  it('is not a session if the cut is in its header', () => {
    for (let cut = 0; cut < head - 1; cut++) expect(read(whole.subarray(0, cut))).toBeUndefined()
    expect(read(whole.subarray(0, head - 1))?.entries).toEqual([])
  })

  it('returns only the complete entries if zeros follow the cut', () => {
    const cut = (ends[20] as number) + 30
    const zeros = Buffer.concat([whole.subarray(0, cut), Buffer.alloc(100)])
    expect(read(zeros)).toMatchObject({ good: ends[20], torn: { length: 130 } })
    expect(read(Buffer.alloc(500))).toBeUndefined()
  })

  it('is complete if the entry without an end marker is a person’s', () => {
    const open = `${emitJournal([user(1, 'one')])}  - seq: 2\n    role: user\n    content: mine\n`
    expect(read(open)?.torn).toBeDefined()
    expect(read(open, { writtenUpTo: 1 })?.entries).toEqual([user(1, 'one'), user(2, 'mine')])
    expect(read(open, { writtenUpTo: 2 })?.torn).toBeDefined()
  })

  it('keeps a prompt that looks like an entry', () => {
    const spec = specOf('lead-1', { systemPrompt: '- seq: 9\n  role: user' })
    expect(read(emitJournal([], spec))?.spec.systemPrompt).toBe('- seq: 9\n  role: user')
  })
})

describe('aliases', () => {
  it('that refer to themselves are reported as an error of the file', () => {
    const error = failure('session_id: a\nmessages:\n  - role: user\n    content: &a [*a]\n')
    expect(error.code).toBe('corrupt')
    expect(error.message).toContain('refers to itself')
  })
})
