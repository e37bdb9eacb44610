import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Entry, JsonObject } from '@cadre/core'
import { rawOf, systemClock, textOf } from '@cadre/disk'
import { type Home, openHome } from '@cadre/home'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileEngine } from '../engine/file-engine.ts'
import type { ChatLog, LogEntry } from './chat-log.ts'
import { createSessionFromChatLog } from './create-session-from-chat-log.ts'
import { entriesFromLog } from './entries-from-log.ts'
import { logEntriesOf, logFromSession } from './log-from-session.ts'
import { readChatLog } from './read-chat-log.ts'
import { writeChatLog } from './write-chat-log.ts'

const old = `# Agent: planner-001
type: planner
created: 2025-10-04 09:00:00

## System Prompt

You are a planner.

## Notes
Plan first.

## Conversation

### 2025-10-04 10:00:00 | user

Is Redis running?

### 2025-10-04 10:00:05 | tool_call

read_file
path: memory/system-config.md
lines: [1, 2]

### 2025-10-04 10:00:06 | tool_result

Docker Desktop

### 2025-10-04 10:00:09 | assistant
It uses **Docker**.

### Details
None.
`

function read(text: string) {
  const result = readChatLog(rawOf(text))
  if (result.kind !== 'log') throw new Error(result.reason)
  return result
}

describe('a chat log', () => {
  it('is read with its header, its prompt and its entries', () => {
    const { log, problems, placed } = read(old)
    expect(problems).toEqual([])
    expect(log).toEqual({
      agent: 'planner-001',
      type: 'planner',
      created: '2025-10-04 09:00:00',
      systemPrompt: 'You are a planner.\n\n## Notes\nPlan first.',
      entries: [
        { time: '2025-10-04 10:00:00', role: 'user', content: 'Is Redis running?' },
        {
          time: '2025-10-04 10:00:05',
          role: 'tool_call',
          name: 'read_file',
          input: { path: 'memory/system-config.md', lines: [1, 2] },
        },
        { time: '2025-10-04 10:00:06', role: 'tool_result', content: 'Docker Desktop' },
        {
          time: '2025-10-04 10:00:09',
          role: 'assistant',
          content: 'It uses **Docker**.\n\n### Details\nNone.',
        },
      ],
    })
    expect(placed.map(({ line }) => line)).toEqual([14, 18, 24, 28])
    expect(rawOf(old).slice(placed[3]?.start, placed[3]?.end)).toMatch(/^### 2025-10-04 10:00:09.*None\.\n$/s)
  })

  it('is read with other line endings and a byte order mark', () => {
    expect(read(`\ufeff${old.replaceAll('\n', '\r\n')}`).log).toEqual(read(old).log)
  })

  it.each([
    ['---\nname: x\n---\n# Agent: x', true],
    ['', false],
    ['# Something\n', false],
    ['# Agent:\n', false],
    ['\0\0\0', false],
  ])('%j is none', (text, isAgentFile) => {
    expect(readChatLog(rawOf(text))).toMatchObject({ kind: 'other', isAgentFile })
  })

  it('reports the line of text that looks like an entry but is not', () => {
    const { problems, log } = read(`${old}\n### 2025-10-04 10:00:10 | usr\nhello\n`)
    expect(problems).toEqual([{ line: 34, message: expect.stringContaining('treats it as text') }])
    expect(log.entries).toHaveLength(4)
  })

  it('keeps arguments that are not a mapping as text, and evaluates nothing', () => {
    const call = (body: string) =>
      read(`# Agent: a\n## Conversation\n### 2025-10-04 10:00:00 | tool_call\n${body}`)
    for (const body of ['run\n{"a": ', 'run\n- 1\n- 2', 'run\n!!js/function "x"', 'run\n&a [*a]'])
      expect(call(body).log.entries[0]).toMatchObject({ role: 'tool_call', name: 'run' })
    expect(call('run\n{"a": ').log.entries[0]).toMatchObject({ input: '{"a": ' })
    expect(call('run').log.entries[0]).toHaveProperty('input', {})
  })

  it('reads hostile text quickly', () => {
    const start = Date.now()
    read(`# Agent: a\n## Conversation\n${'### 2025-10-04 '.repeat(50_000)}\n${'\\'.repeat(200_000)}\n`)
    read(`# Agent: a\n## Conversation\n${'### 2025-10-04 10:00:00 | user\n'.repeat(20_000)}`)
    expect(Date.now() - start).toBeLessThan(30_000)
  })
})

const line = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
  fc.constantFrom(
    '',
    '  ',
    '\\',
    '\\\\',
    '\\ x',
    '# Agent: x',
    '## Conversation',
    '\\## Conversation',
    '## System Prompt',
    '### 2025-10-04 10:00:00 | user',
    '\\### 2025-10-04 10:00:00 | user',
    '\\\\### 2025-10-04 10:00:00 | tool_result ',
    '---',
    '```',
  ),
)
/** Text that a log can contain. A carriage return at the end of a line is part of the line ending. */
const text = fc.array(line, { maxLength: 6 }).map((lines) =>
  lines
    .join('\n')
    .toWellFormed()
    .replace(/\r+(?=\n|$)/g, ''),
)
const word = fc.stringMatching(/^[a-z_][a-z0-9_.-]{0,20}$/)
const time = fc
  .integer({ min: 0, max: 4_000_000_000 })
  .map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '))
const input = fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }).map(
  // The value after a JSON round trip, which removes -0, for example.
  (value) => JSON.parse(JSON.stringify(value).toWellFormed()) as JsonObject,
)
const entry: fc.Arbitrary<LogEntry> = fc.oneof(
  fc.record({
    time,
    role: fc.constantFrom('user' as const, 'assistant' as const, 'tool_result' as const),
    content: text,
  }),
  fc.record({ time, role: fc.constant('tool_call' as const), name: word, input }),
)
const log: fc.Arbitrary<ChatLog> = fc.record(
  { agent: word, type: word, created: time, systemPrompt: text, entries: fc.array(entry, { maxLength: 8 }) },
  { requiredKeys: ['agent', 'systemPrompt', 'entries'] },
)

describe('writing and reading', () => {
  it('returns every log unchanged', () => {
    fc.assert(
      fc.property(log, (written) => {
        expect(read(writeChatLog(written)).log).toEqual(written)
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 500 : 60 },
    )
  })

  it('never throws, and places every entry within the file', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const raw = rawOf(`# Agent: x\n## Conversation\n${lines.join('\n')}`)
        const result = readChatLog(raw)
        if (result.kind !== 'log') return
        let last = 0
        for (const { start, end } of result.placed) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          expect(textOf(raw.slice(start, end))).toMatch(/^### /)
          last = end
        }
      }),
    )
  })

  it('turns any log into a complete conversation, in which every call has one result', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 12 }), (entries) => {
        const made = entriesFromLog(entries)
        const calls = made.flatMap((one) => (one.role === 'assistant' ? (one.tool_calls ?? []) : []))
        const results = made.flatMap((one) => (one.role === 'tool_result' ? [one.tool_call_id] : []))
        expect(results.toSorted()).toEqual(calls.map(({ id }) => id).toSorted())
        expect(calls).toHaveLength(entries.filter(({ role }) => role === 'tool_call').length)
        expect(made.map(({ seq }) => seq)).toEqual(made.map((_, at) => at + 1))
        for (const [at, one] of made.entries()) {
          if (one.role !== 'assistant' || one.tool_calls === undefined) continue
          const after = made.slice(at + 1, at + 1 + one.tool_calls.length)
          expect(after.map((result) => (result as { tool_call_id?: string }).tool_call_id)).toEqual(
            one.tool_calls.map(({ id }) => id),
          )
        }
        // Writing the entries again gives the same log, except for results that were added or omitted.
        expect(entriesFromLog(logEntriesOf(made)).map(plain)).toEqual(made.map(plain))
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 300 : 40 },
    )
  })
})

it('keeps replies separate, even if the calls of one have no results', () => {
  const called = (id: string) => ({
    id,
    type: 'function' as const,
    function: { name: 'look', arguments: '{}' },
  })
  const timestamp = '2025-10-04T10:00:00.000Z'
  const entries: Entry[] = [
    { seq: 1, timestamp, role: 'assistant', content: null, tool_calls: [called('call_1')] },
    { seq: 2, timestamp, role: 'assistant', content: null, tool_calls: [called('call_2'), called('call_3')] },
    { seq: 3, timestamp, role: 'user', content: 'meanwhile' },
    { seq: 4, timestamp, role: 'tool_result', tool_call_id: 'call_3', content: 'three' },
    { seq: 5, timestamp, role: 'tool_result', tool_call_id: 'call_2', content: 'two' },
  ]
  const again = entriesFromLog(logEntriesOf(entries))
  expect(again.map((one) => [one.role, 'content' in one ? one.content : null])).toEqual([
    ['assistant', null],
    ['tool_result', expect.stringContaining('no result')],
    ['assistant', null],
    ['tool_result', 'two'],
    ['tool_result', 'three'],
    ['user', 'meanwhile'],
  ])
})

/** Removes the fields that a log does not contain. */
function plain(one: Entry): unknown {
  const { outcome: _outcome, ...rest } = one as Entry & { outcome?: unknown }
  return rest
}

describe('a session from a log', () => {
  let folder: string
  let home: Home
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-logs-')))
    home = openHome({ home: path.join(folder, 'home'), cwd: folder, env: {} })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('is read by the engine, and exported as the same log', async () => {
    const { log } = read(old)
    const request = {
      home,
      id: 'planner-001-x',
      log,
      from: 'a.agent.md',
      workspace: folder,
      now: '2026-01-01T00:00:00.000Z',
    }
    expect(createSessionFromChatLog(request)).toBe('placed')
    expect(createSessionFromChatLog(request)).toBe('exists')
    expect(readdirSync(home.at('sessions'))).toEqual(['planner-001-x.session.yaml'])
    const engine = await createFileEngine({ home, clock: systemClock })
    const stored = await engine.read('planner-001-x')
    expect(stored?.status).toBe('sleeping')
    expect(stored?.spec.agent).toMatchObject({
      name: 'planner-001',
      type: 'planner',
      tools: { kind: 'list', names: [] },
    })
    expect(stored && logFromSession(stored)).toEqual(log)
    expect(stored?.entries.map(({ role }) => role)).toEqual([
      'event',
      'user',
      'assistant',
      'tool_result',
      'assistant',
    ])
    await engine.close()
  })

  it('survives any content', async () => {
    const engine = await createFileEngine({ home, clock: systemClock })
    let count = 0
    await fc.assert(
      fc.asyncProperty(log, async (written) => {
        const id = `s-${++count}`
        createSessionFromChatLog({
          home,
          id,
          log: written,
          from: 'x',
          workspace: folder,
          now: '2026-01-01T00:00:00.000Z',
        })
        const stored = await engine.read(id)
        expect(stored?.spec.systemPrompt).toBe(written.systemPrompt)
        expect(stored?.entries.slice(1).map(plain)).toEqual(entriesFromLog(written.entries, 2).map(plain))
      }),
      { numRuns: 50 },
    )
    await engine.close()
  })

  it.each(['../x', '.x', 'a/b', ''])('does not take %j for a name', (id) => {
    const { log } = read(old)
    expect(() => createSessionFromChatLog({ home, id, log, from: 'x', workspace: folder, now: '' })).toThrow(
      /not a valid session name/,
    )
    expect(() => readFileSync(path.join(folder, 'home/x.session.yaml'))).toThrow()
  })
})
