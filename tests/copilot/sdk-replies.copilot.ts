import { defineTool, type Message, object, string, type Tool } from '@cadre/core'
import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { askFor } from '../../packages/backends/src/ask.spec-helpers.ts'
import { apiKey, modelOf, resultsIn, sdkWorld } from './support/sdk-world.ts'

// One pixel each.
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const otherDot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

describe('a session on the Copilot SDK', () => {
  it('answers with the text of the model, with only Cadre’s prompt and tools', async () => {
    const world = await sdkWorld(() =>
      answers.reply({ text: 'Hello there.', pieces: 3, usage: { input: 11, output: 4 } }),
    )
    const report = await world.report()
    expect(report).toMatchObject({
      status: 'completed',
      text: 'Hello there.',
      usage: { input: 11, output: 4 },
    })
    expect(world.asked).toHaveLength(1)
    expect(world.asked[0]?.agent).toBe('lead')
    expect(world.asked[0]?.tools.toSorted()).toEqual(
      expect.arrayContaining(['boom', 'hang', 'launch', 'look', 'note']),
    )
    for (const native of ['bash', 'view', 'task', 'edit']) expect(world.asked[0]?.tools).not.toContain(native)
    const told = world.events.flatMap((event) => (event.type === 'text.added' ? [event.text] : []))
    expect(told.join('')).toBe('Hello there.')
    expect(world.journals()).not.toContain(apiKey)
  })

  it('runs a call and passes its result to the model', async () => {
    const world = await sdkWorld(({ step }) =>
      step === 0
        ? answers.reply({ text: 'I look.', calls: [{ name: 'look', input: { path: 'a' } }] })
        : answers.reply({ text: 'Done.' }),
    )
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Done.', calls: 1 })
    expect(world.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'saw a' })
    expect(world.journals()).toContain('saw a')
  })

  it('runs the three calls in one reply in parallel, and gives each its own result', async () => {
    const gate = createMeeting(3)
    const world = await sdkWorld(
      ({ step }) =>
        step === 0
          ? answers.reply({
              calls: ['a', 'b', 'c'].map((who, n) => ({ id: `c${n}`, name: 'meet', input: { who } })),
            })
          : answers.reply({ text: 'Done.' }),
      { tools: () => [gate] },
    )
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Done.', calls: 3 })
    expect(resultsIn(world.asked[1])).toEqual({ c0: 'met a', c1: 'met b', c2: 'met c' })
  })

  it('tells the model about a call that is not JSON, and runs nothing', async () => {
    const world = await sdkWorld(({ step }) =>
      step === 0
        ? answers.reply({
            calls: [
              { id: 'bad', name: 'note', input: '{"text": ' },
              { id: 'good', name: 'look', input: { path: 'a' } },
            ],
          })
        : answers.reply({ text: 'Sorry.' }),
    )
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Sorry.' })
    expect(world.effects.done).toEqual([])
    expect(resultsIn(world.asked[1])).toMatchObject({
      bad: expect.stringContaining('not valid JSON'),
      good: 'saw a',
    })
  })

  it('keeps both halves of a text that the runtime asked the model to continue', async () => {
    const world = await sdkWorld(({ step }) =>
      answers.reply(
        step === 0 ? { text: 'The first half, ', finish: 'length' } : { text: 'and the second.' },
      ),
    )
    expect(await world.report()).toMatchObject({ text: 'The first half, and the second.' })
  })

  it('passes a person’s message during a call to the model with its result', async () => {
    let tell = () => {}
    const world = await sdkWorld(
      ({ step }) =>
        step === 0
          ? answers.reply({ calls: [{ id: 'c', name: 'listen' }] })
          : answers.reply({ text: 'Understood.' }),
      { tools: () => [listeningHooks(() => tell())] },
    )
    // It is delivered after the call, so the call must not wait for it.
    tell = () => void world.orchestrator.tell('lead-1', { content: 'Hurry up.' })
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Understood.' })
    expect(world.asked).toHaveLength(2)
    expect(world.asked[1]?.messages.slice(-2)).toMatchObject([
      { role: 'tool', content: 'listened' },
      { role: 'user', content: expect.stringContaining('Hurry up.') },
    ])
  })

  it('shows the model the images of messages and results', async () => {
    const world = await sdkWorld(({ step }) =>
      step === 0 ? answers.reply({ calls: [{ id: 'c', name: 'look' }] }) : answers.reply({ text: 'A dot.' }),
    )
    const model = await modelOf(world)
    const tools = [{ name: 'look', description: 'd', parameters: { type: 'object' as const } }]
    const messages: Message[] = [
      { role: 'user', content: 'What is it?', images: [{ mime: 'image/png', data: dot }] },
    ]
    const first = await askFor(model, { tools, messages })
    messages.push(
      { role: 'assistant', content: first.content, tool_calls: first.calls },
      {
        role: 'tool_result',
        tool_call_id: 'c',
        content: 'See.',
        images: [{ mime: 'image/png', data: otherDot }],
      },
    )
    expect(await askFor(model, { tools, messages })).toMatchObject({ content: 'A dot.' })
    model.release?.('lead-1')
    expect(JSON.stringify(world.asked[0]?.messages)).toContain(dot)
    expect(JSON.stringify(world.asked[1]?.messages)).toContain(otherDot)
  })

  it('runs eight concurrent sessions in one runtime', async () => {
    const gate = createMeeting(8)
    const world = await sdkWorld(
      ({ step, messages }) =>
        step === 0
          ? answers.reply({
              calls: [{ name: 'meet', input: { who: String(messages.at(-1)?.content).slice(-1) } }],
            })
          : answers.reply({ text: String(messages.at(-1)?.content) }),
      { tools: () => [gate] },
    )
    const works = Array.from({ length: 8 }, (_, n) => `work ${n}`)
    const reports = await Promise.all(works.map((work) => world.report('lead', work)))
    expect(reports.map(({ text }) => text)).toEqual(works.map((work) => `met ${work.slice(-1)}`))
    expect(world.runtimes()).toHaveLength(1)
  })
})

/** Resolves once this many calls of it are running. */
function createMeeting(size: number): Tool {
  let arrived = 0
  let open = () => {}
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  return defineTool({
    name: 'meet',
    description: 'Waits for the others',
    class: 'read',
    effect: 'read',
    input: object({ who: string('Who') }),
    async run({ who }) {
      arrived += 1
      if (arrived === size) open()
      await all
      return { content: `met ${who}` }
    },
  }) as Tool
}

function listeningHooks(hear: () => void): Tool {
  return defineTool({
    name: 'listen',
    description: 'Listens',
    class: 'read',
    effect: 'read',
    input: object({}),
    async run() {
      hear()
      return { content: 'listened' }
    },
  }) as Tool
}
