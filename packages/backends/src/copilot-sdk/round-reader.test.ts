import { describe, expect, it } from 'vitest'
import { type Round, RoundReader } from './round-reader.ts'

/** Reads these events, for a session whose only tool is `note`. */
function read(
  events: readonly (readonly [type: string, data?: Record<string, unknown>, agentId?: string])[],
) {
  const rounds: Round[] = []
  const told: string[] = []
  const notices: string[] = []
  const refused: string[] = []
  const reader = new RoundReader({
    session: 's',
    ownerOf: (name) => (name === 'note' ? 'ours' : name === 'task' ? 'runtime' : 'nobody'),
    multiplier: 2,
    refuse: (request) => refused.push(request),
    text: (delta) => told.push(delta),
    round: (round) => rounds.push(round),
    notice: (code) => notices.push(code),
  })
  for (const [type, data = {}, agentId] of events)
    reader.push({ type, data, ...(agentId !== undefined && { agentId }) })
  return { rounds, told: told.join(''), notices, refused, reader }
}

const delta = (messageId: string, deltaContent: string) =>
  ['assistant.message_delta', { messageId, deltaContent }] as const
const message = (messageId: string, content: string, ...names: string[]) =>
  [
    'assistant.message',
    {
      messageId,
      content,
      toolRequests: names.map((name, n) => ({ toolCallId: `c${n}`, name, arguments: { n } })),
    },
  ] as const
const requested = (n: number) =>
  [
    'external_tool.requested',
    { requestId: `r${n}`, sessionId: 's', toolCallId: `c${n}`, toolName: 'note', arguments: { n } },
  ] as const
const completed = (n: number) => ['tool.execution_complete', { toolCallId: `c${n}` }] as const
const usage = (more = {}) => ['assistant.usage', { inputTokens: 3, outputTokens: 1, ...more }] as const

describe('RoundReader', () => {
  it('waits until every call of a message is pending in the runtime', () => {
    const events = [message('m', 'I note.', 'note', 'note'), requested(1)]
    expect(read(events).rounds).toEqual([])
    expect(read(events).reader.waitsForUs).toBe(true)
    expect(read([...events, requested(0)]).rounds).toEqual([
      {
        kind: 'round',
        text: 'I note.',
        calls: [
          { id: 'c0', name: 'note', arguments: '{"n":0}', request: 'r0' },
          { id: 'c1', name: 'note', arguments: '{"n":1}', request: 'r1' },
        ],
      },
    ])
  })

  it('includes a call of a foreign tool, under a name that runs nothing, without waiting for it', () => {
    expect(read([message('m', '', 'bash')]).rounds).toMatchObject([
      { calls: [{ name: 'copilot:bash', id: 'c0' }] },
    ])
  })

  it('shows arguments that are not JSON as the model wrote them', () => {
    const written = ['assistant.tool_call_delta', { toolCallId: 'c0', inputDelta: '{"n":' }] as const
    const [round] = read([written, message('m', '', 'note'), completed(0)]).rounds
    expect(round).toMatchObject({ calls: [{ arguments: '{"n":' }] })
    expect(round).not.toHaveProperty('calls.0.request')
  })

  it('omits a valid call that the runtime has answered itself, so that it does not run afterwards', () => {
    expect(read([message('m', '', 'note'), completed(0)]).rounds).toEqual([])
  })

  it('treats the ids of a later message as new', () => {
    const again = [message('m2', '', 'note')]
    const next = ['external_tool.requested', { ...requested(0)[1], requestId: 'r9' }] as const
    expect(read([message('m1', '', 'note'), requested(0), completed(0), ...again]).rounds).toHaveLength(1)
    expect(read([message('m1', '', 'note'), requested(0), completed(0), ...again, next]).rounds).toHaveLength(
      2,
    )
  })

  it('waits for the last part of a message that arrives in parts', () => {
    const part = (chunkIndex: number) =>
      [
        'assistant.message',
        { ...message(`m${chunkIndex}`, 'x', 'bash')[1], chunkIndex, chunkCount: 2 },
      ] as const
    expect(read([part(0)]).rounds).toEqual([])
    expect(read([part(0), part(1)]).rounds).toMatchObject([{ text: 'xx', calls: [{}, {}] }])
  })

  it('ends a turn with its text, without the text of a failed attempt', () => {
    const { rounds, told } = read([
      delta('m1', 'Half a'),
      ['model.call_failure', { statusCode: 500 }],
      delta('m2', 'Whole.'),
      usage({ finishReason: 'stop' }),
      message('m2', 'Whole.'),
      ['session.idle'],
    ])
    expect(rounds).toEqual([
      { kind: 'round', text: 'Whole.', calls: [], usage: { input: 3, output: 1, premium: 2 } },
    ])
    expect(told).toBe('Half aWhole.')
  })

  it('keeps a text that was cut at the length limit', () => {
    const { rounds } = read([
      delta('m1', 'one '),
      usage({ finishReason: 'length' }),
      delta('m2', 'two'),
      usage({ finishReason: 'stop', initiator: 'agent' }),
      message('m2', 'two'),
      ['session.idle'],
    ])
    expect(rounds).toMatchObject([{ text: 'one two', usage: { input: 6, output: 2, premium: 2 } }])
  })

  it('counts no premium request for a custom server', () => {
    const { rounds } = read([usage({ isByok: true, cost: 0 }), message('m', 'x'), ['session.idle']])
    expect(rounds).toMatchObject([{ usage: { input: 3, output: 1 } }])
    expect(rounds[0]?.usage).not.toHaveProperty('premium')
  })

  it('fails at the end of a turn, with the runtime’s error', () => {
    const error = { errorType: 'quota', errorCode: 'quota_exceeded', message: 'no more', statusCode: 402 }
    expect(read([['session.error', error], ['session.idle']]).rounds).toEqual([
      { kind: 'failed', error: { type: 'quota', code: 'quota_exceeded', message: 'no more', status: 402 } },
    ])
  })

  it('accepts an empty reply', () => {
    const error = { errorType: 'query', message: 'No response was returned.' }
    expect(read([message('m', ''), ['session.error', error], ['session.idle']]).rounds).toEqual([
      { kind: 'round', text: '', calls: [] },
    ])
  })

  it('passes on notices for a person', () => {
    const warning = ['session.warning', { warningType: 'subscription', message: 'soon over' }] as const
    expect(read([warning, ['model.call_failure', { statusCode: 429 }]]).notices).toEqual([
      'copilot_subscription',
      'copilot_rate_limit',
    ])
  })

  it('refuses a call that is in no message', () => {
    expect(read([message('m', '', 'bash'), requested(7)]).refused).toEqual(['r7'])
  })

  it('does not mix the text of a subagent with that of the session, and counts its tokens', () => {
    const { rounds, told } = read([
      ['assistant.message_delta', { messageId: 's', deltaContent: 'sub' }, 'agent-1'],
      ['assistant.usage', { inputTokens: 5, outputTokens: 5, isByok: true }, 'agent-1'],
      message('m', 'main'),
      ['session.idle'],
    ])
    expect(told).toBe('')
    expect(rounds).toMatchObject([{ text: 'main', usage: { input: 5, output: 5 } }])
  })

  const child = (request: string, id: string) =>
    [
      'external_tool.requested',
      {
        requestId: request,
        sessionId: `native-${request}`,
        toolCallId: id,
        toolName: 'note',
        arguments: { id },
      },
    ] as const
  const said = (agent: string, id: string) =>
    [
      'assistant.message',
      { messageId: agent, content: 'child text', toolRequests: [{ toolCallId: id, name: 'note' }] },
      agent,
    ] as const

  it('gives each subagent its own calls, even if a request arrives before its message', () => {
    const again = [
      'external_tool.requested',
      { ...child('rb', 'cb')[1], sessionId: 's', ownerNativeSessionId: 'native-rb' },
    ] as const
    const { rounds, refused } = read([
      message('m', 'I delegate.', 'task', 'task'),
      ['subagent.started', { agentDisplayName: 'Bea' }, 'b'],
      said('a', 'ca'),
      child('rb', 'cb'),
      again,
      said('b', 'cb'),
      child('ra', 'ca'),
    ])
    expect(rounds).toEqual([
      {
        kind: 'round',
        text: 'I delegate.\n\n[Subagent Bea]',
        calls: [{ id: 'cb', name: 'note', arguments: '{"id":"cb"}', request: 'rb' }],
      },
      {
        kind: 'round',
        text: '[Subagent a]',
        calls: [{ id: 'ca', name: 'note', arguments: '{"id":"ca"}', request: 'ra' }],
      },
    ])
    expect(refused).toEqual([])
  })

  it('does not mistake a repeated request of an earlier call for a later one with the same id', () => {
    const earlier = [said('a', 'c'), child('r1', 'c'), child('r1', 'c'), said('a', 'c')]
    expect(read(earlier).rounds).toHaveLength(1)
    const { rounds } = read([...earlier, child('r2', 'c')])
    expect(rounds.map((round) => round.kind === 'round' && round.calls[0]?.request)).toEqual(['r1', 'r2'])
  })

  it('refuses a call that two subagents could have made', () => {
    const { rounds, refused } = read([said('a', 'c'), said('b', 'c'), child('r1', 'c'), child('r2', 'c')])
    expect(rounds).toEqual([])
    expect(refused).toEqual(['r1', 'r2'])
  })
})
