import type { Message, ModelRequest } from '@cadre/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createModels } from '../create-models.ts'
import { systemClock } from '../pause.ts'
import { writeServer } from './fake-server.spec-helpers.ts'

/** Every third row in `npm test`, because each starts a server, and all of them in `npm run test:deep`. */
const some = <Row>(rows: readonly Row[]) => rows.filter((_, at) => process.env['CADRE_DEEP'] || at % 3 === 0)

/**
 * A misbehaving program that implements the protocol of the language server. `turn` is the body of a function that is
 * called for each turn with `ask` (a request to the client), `report` (progress) and the parameters, and returns the
 * answer. `answers` are expressions that replace its usual answers, by method.
 */
async function openModel(
  turn: string,
  registered = 'own',
  { answers = {}, env = {} }: { answers?: Record<string, string>; env?: Record<string, string> } = {},
) {
  const program =
    writeServer(`const ask = (method, params) => c.sendRequest(method, params).catch((error) => 'refused: ' + error.message)
let own = []
const heard = []
let shared = [{ id: 'copilot.read_file', name: 'read_file', type: 'shared' }]
c.onRequest('initialize', () => ({ serverInfo: { version: 'rogue' } }))
c.onRequest('shutdown', () => null)
c.onRequest('copilot/models', () => [{ id: 'm', billing: { multiplier: 2 } }])
c.onRequest('conversation/registerTools', ({ tools }) => {
  if (${JSON.stringify(registered)} === 'later' && !require('node:fs').existsSync(__filename + '.died')) {
    require('node:fs').writeFileSync(__filename + '.died', '')
    process.exit(4)
  }
  own = tools.map(({ name }) => ({ id: 'copilot-editor.' + name, name, type: 'client' }))
  return [...own, ...shared]
})
c.onRequest('conversation/unregisterTools', ({ toolIds }) => {
  if (${JSON.stringify(registered)} !== 'all') shared = shared.filter(({ id }) => !toolIds.includes(id))
  return [...own, ...shared]
})
const turn = async (params) => {
  const report = (value) => c.sendNotification('$/progress', { token: params.workDoneToken, value })
  const call = (more) => ask('conversation/invokeClientTool', { name: 'look', input: { at: 1 }, conversationId: 'C', turnId: 'T', toolCallId: 'c1', ...more })
  const begin = () => report({ kind: 'begin', conversationId: 'C', turnId: 'T' })
  ${turn}
}
c.onRequest('conversation/create', turn)
c.onRequest('conversation/turn', turn)
c.onRequest('conversation/destroy', () => 'OK')
${Object.entries(answers)
  .map(([method, answer]) => `c.onRequest('${method}', () => (${answer}))`)
  .join('\n')}
c.listen()
`)
  const models = createModels({
    clock: systemClock,
    cwd: '/',
    env,
    config: { copilot: { server: program } },
  })
  onTestFinished(() => models.close?.())
  const found = await models.resolve('copilot-ls:m')
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model
}

const tools = [{ name: 'look', description: 'Looks', parameters: {} }]
const hooks = { text: () => {} }
const signal = new AbortController().signal
const question = (...messages: Message[]): ModelRequest => ({
  agent: 'a',
  session: 's',
  round: 1,
  system: '',
  messages,
  tools,
})
const hello: Message = { role: 'user', content: 'hello' }

it('refuses calls that are not part of a turn', async () => {
  const model = await openModel(`
    const early = await call({})
    await begin()
    const results = [early, await call({ conversationId: 'other' }), await call({ turnId: 'old' }), await call({ name: 'read_file' })]
    return { reply: JSON.stringify(results) }`)
  const reply = await model.reply(question(hello), hooks, signal)
  expect(reply).toMatchObject({ kind: 'reply', calls: [] })
  const results = JSON.parse((reply as { content: string }).content) as unknown[]
  expect(results).toEqual(
    Array(4).fill([null, { code: -32000, message: expect.stringContaining('did not run this call') }]),
  )
})

it('refuses all requests that are meant for an editor', async () => {
  const methods = [
    'workspace/applyEdit',
    'workspace/readFile',
    'workspace/findTextInFiles',
    'workspace/configuration',
    'conversation/context',
    'copilot/token',
    'copilot/fetch',
    'copilot/mcpElicitation',
    'window/showDocument',
  ]
  const model = await openModel(`
    await begin()
    const results = []
    for (const method of ${JSON.stringify(methods)}) results.push(await ask(method, {}))
    return { reply: results.join('\\n') }`)
  const reply = (await model.reply(question(hello), hooks, signal)) as { content: string }
  expect(reply.content.split('\n')).toEqual(
    methods.map((method) => `refused: Cadre does not support ${method}`),
  )
})

it('confirms only calls of its own tools in a known turn', async () => {
  const model = await openModel(`
    const confirm = (more) => ask('conversation/invokeClientToolConfirmation', { name: 'look', conversationId: 'C', turnId: 'T', ...more })
    const early = await confirm({})
    await begin()
    const results = [early, await confirm({}), await confirm({ name: 'run_in_terminal' }), await confirm({ turnId: 'old' })]
    return { reply: results.map(([{ result }]) => result).join() }`)
  expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
    content: 'dismiss,accept,dismiss,dismiss',
  })
})

it('does not use a server that keeps its own tools', async () => {
  const model = await openModel(`return { reply: 'x' }`, 'all')
  expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
    kind: 'failed',
    code: 'backend',
    message: 'the Copilot language server did not turn off its built-in tools, so Cadre cannot control it.',
  })
})

it('answers each call once, and the rest of the turn from the session', async () => {
  const model = await openModel(`
    if (params.message) return { conversationId: 'C', reply: 'then: ' + params.message }
    await begin()
    await report({ kind: 'report', reply: 'Looking.' })
    const [result] = await call({})
    await report({ kind: 'report', editAgentRounds: [{ roundId: 2, reply: result.content[0].value }] })
    await report({ kind: 'end', conversationId: 'C', turnId: 'T' })
    return [{ conversationId: 'C', turnId: 'T' }]`)
  const first = await model.reply(question(hello), hooks, signal)
  if (first.kind !== 'reply') throw new Error(first.message)
  expect(first).toMatchObject({ content: 'Looking.', usage: { premium: 2 } })
  const called: Message = { role: 'assistant', content: first.content, tool_calls: first.calls }
  const result: Message = { role: 'tool_result', tool_call_id: first.calls[0]!.id, content: 'seen' }
  const second = await model.reply(question(hello, called, result), hooks, signal)
  // No further premium request: it is the same turn.
  expect(second).toEqual({ kind: 'reply', content: 'seen', calls: [] })
  const said: Message = { role: 'assistant', content: 'seen' }
  const third = await model.reply(
    question(hello, called, result, said, { role: 'user', content: 'more' }),
    hooks,
    signal,
  )
  expect(third).toMatchObject({ content: 'then: more', usage: { premium: 2 } })
})

it('starts a new conversation if the messages do not continue the old one', async () => {
  const model = await openModel(`
    await begin()
    return { conversationId: 'C', reply: params.message ? 'continued' : 'new with ' + params.turns.length }`)
  const ask = async (...messages: Message[]) =>
    ((await model.reply(question(...messages), hooks, signal)) as { content: string }).content
  const more: Message = { role: 'user', content: 'more' }
  const said = (content: string): Message => ({ role: 'assistant', content })
  expect(await ask(hello)).toBe('new with 1')
  expect(await ask(hello, said('something else'), more)).toBe('new with 2')
  expect(await ask({ ...hello }, said('new with 2'), more)).toBe('new with 2')
  const start: Message = { role: 'user', content: 'start' }
  expect(await ask(start)).toBe('new with 1')
  expect(await ask(start, said('new with 1'), more)).toBe('continued')
  model.release?.('s')
  expect(await ask(start, said('new with 1'), more, said('continued'), more)).toBe('new with 3')
})

it('starts another server if one dies before the conversation starts', async () => {
  const model = await openModel(`return { reply: 'Hello' }`, 'later')
  expect(await model.reply(question(hello), hooks, signal)).toMatchObject({ kind: 'reply', content: 'Hello' })
})

it('fails if the server exits in every turn', async () => {
  const model = await openModel('process.exit(3)')
  expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
    kind: 'failed',
    message: 'the Copilot language server exited with code 3. Tried 3 times.',
  })
})

it('cancels a turn again if it starts after its cancellation, and drops its conversation', async () => {
  const model = await openModel(`
    if (params.turns[0].request === 'heard') return { reply: heard.join() || 'nothing' }
    const cancelled = () => new Promise((resolve) => c.onNotification('window/workDoneProgress/cancel', resolve))
    const first = cancelled()
    await report({ kind: 'report', reply: 'here' })
    await first
    const second = cancelled()
    await begin()
    await second
    heard.push('cancelled twice', (await call({}))[1].message)
    c.onRequest('conversation/destroy', ({ conversationId }) => heard.push('destroyed ' + conversationId))
    return { conversationId: 'C' }`)
  const stopper = new AbortController()
  const reply = await model.reply(question(hello), { text: () => stopper.abort() }, stopper.signal)
  expect(reply).toMatchObject({ code: 'cancelled' })
  const heard = async () => {
    const asked = { ...question({ role: 'user', content: 'heard' }), session: 'other' }
    return ((await model.reply(asked, hooks, signal)) as { content: string }).content
  }
  await vi.waitUntil(async () => (await heard()).includes('destroyed C'), 60_000)
  expect(await heard()).toMatch(
    /^cancelled twice,Cadre did not run this call, because it has no such .*\.,destroyed C/,
  )
})

describe('tokens are hidden', () => {
  const own = 'a-token-of-no-known-form'
  const env = { GITHUB_COPILOT_TOKEN: own }
  const leak = `Authorization: token gho_${'A'.repeat(36)} or ${own}`

  it.each(
    some([
      ['notices of a turn', `await report({ kind: 'report', notifications: [{ message: '${leak}' }] })`],
      ['notices of the server', `await c.sendNotification('copilot/quotaWarning', { message: '${leak}' })`],
      ['the error of a turn', `await report({ kind: 'end', error: { message: '${leak}' } })`],
      ['a refusal', `throw new rpc.ResponseError(5, '${leak}')`],
    ]),
  )('in %s', async (_, turn) => {
    const model = await openModel(`await begin(); ${turn}; return { reply: 'x' }`, 'own', { env })
    const told: string[] = []
    const reply = await model.reply(
      question(hello),
      { ...hooks, notice: (_code, message) => void told.push(message) },
      signal,
    )
    const shown = [...told, JSON.stringify(reply)].join('\n')
    expect(shown).toContain('Authorization: token [hidden] or [hidden]')
    expect(shown).not.toMatch(/AAAA|no-known-form/)
  })
})

describe('an invalid answer ends in a failed reply', () => {
  const unclear = (method: string) => `the Copilot language server sent an invalid response to ${method}.`

  it.each(
    some([
      ['initialize', 'null'],
      ['initialize', '{ serverInfo: 5 }'],
      ['copilot/models', 'null'],
      ['copilot/models', '[null]'],
      ['copilot/models', "[{ id: 'm', capabilities: { limits: 5 } }]"],
      ['conversation/registerTools', 'null'],
      ['conversation/registerTools', '[null]'],
      ['conversation/registerTools', '[{ id: {}, name: 5 }]'],
      ['conversation/unregisterTools', 'null'],
    ]),
  )('when %s is answered with %s', async (method, answer) => {
    const said = openModel(`return { reply: 'x' }`, 'own', { answers: { [method]: answer } }).then(
      (model) => model.reply(question(hello), hooks, signal),
      (error: Error) => error,
    )
    expect(await said).toMatchObject({ message: expect.stringContaining(unclear(method)) })
    expect(await said).not.toMatchObject({ kind: 'reply' })
  })

  it.each(
    some([
      ['null', 'return null'],
      ['a number', 'return 5'],
      ['a list of nothing', 'return [null]'],
      ['an invalid text', 'return { reply: { a: 1 } }'],
      ['an invalid name', "return { reply: 'x', modelName: { a: 1 } }"],
    ]),
  )('when a turn is answered with %s', async (_, answer) => {
    const model = await openModel(`await begin(); ${answer}`)
    expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
      kind: 'failed',
      code: 'backend',
      message: `copilot-ls:m failed: ${unclear('conversation/create')}`,
    })
  })

  it.each(
    some([
      'null',
      '5',
      "{ kind: 'report', reply: {} }",
      "{ kind: 'report', delta: ['a'] }",
      "{ kind: 'report', editAgentRounds: 5 }",
      "{ kind: 'report', editAgentRounds: [null] }",
      "{ kind: 'report', editAgentRounds: [{ roundId: -1, reply: 'x' }] }",
      "{ kind: 'report', notifications: [null] }",
      "{ kind: 'end', error: 5 }",
    ]),
  )('when the server reports %s', async (value) => {
    const model = await openModel(`await begin(); await report(${value}); return { reply: 'x' }`)
    expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
      kind: 'failed',
      message: `copilot-ls:m failed: ${unclear('$/progress')}`,
    })
  })

  it.each(['{ toolCallId: {} }', '{ toolCallId: undefined }', '{ name: 5 }'])(
    'when the server calls a tool with %s',
    async (more) => {
      const model = await openModel(`await begin(); return { reply: JSON.stringify(await call(${more})) }`)
      expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
        kind: 'failed',
        message: `copilot-ls:m failed: ${unclear('conversation/invokeClientTool')}`,
      })
    },
  )
})

it('ends and cancels a turn whose text is too long', async () => {
  const model = await openModel(`
    if (params.turns[0].request === 'heard') return { reply: heard.join() }
    const cancelled = new Promise((resolve) => c.onNotification('window/workDoneProgress/cancel', resolve))
    await begin()
    for (let i = 0; i < 11; i++) await report({ kind: 'report', delta: 'x'.repeat(1_000_000) })
    await cancelled
    heard.push('cancelled')
    return { reply: 'x' }`)
  expect(await model.reply(question(hello), hooks, signal)).toMatchObject({
    kind: 'failed',
    message:
      'copilot-ls:m failed: the Copilot language server sent more than 10 million characters in one turn.',
  })
  const again = { ...question({ role: 'user', content: 'heard' }), session: 'other' }
  expect(await model.reply(again, hooks, signal)).toMatchObject({ content: 'cancelled' })
})

it('treats invalid usage as unknown', async () => {
  const model = await openModel(
    `
    await begin()
    for (const totalUsedTokens of [-1e9, '99', 1.5, NaN]) await report({ kind: 'report', contextSize: { totalUsedTokens } })
    await report({ kind: 'report', tokenUsage: { promptTokens: 10, completionTokens: -5 } })
    return { reply: 'x' }`,
    'own',
    { answers: { 'copilot/models': "[{ id: 'm', billing: { multiplier: -2 } }]" } },
  )
  const reply = await model.reply(question(hello), hooks, signal)
  expect(reply).toEqual({ kind: 'reply', content: 'x', calls: [] })
})
