import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { ReplyHooks } from '@cadre/core'
import { answers, createFakeClock, streamOf } from '@cadre/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ask, neverAborted, question } from '../../packages/backends/src/ask.spec-helpers.ts'
import { apiKey, modelOf, sdkWorld } from './support/sdk-world.ts'

const waitOptions = { timeout: 60_000, interval: 10 }

describe('when something fails, a session on the Copilot SDK', () => {
  it('ends immediately when it is cancelled while the model thinks', async () => {
    const world = await sdkWorld(() => answers.hang())
    const stop = new AbortController()
    const report = world.report('lead', 'go', stop.signal)
    const asked = await world.wire.received(1)
    stop.abort()
    expect(await report).toMatchObject({ status: 'cancelled' })
    // The runtime has also cancelled its request.
    await asked.closed
  })

  it('ends immediately when it is cancelled during a call', async () => {
    const world = await sdkWorld(() => answers.reply({ calls: [{ name: 'hang' }] }))
    const stop = new AbortController()
    const report = world.report('lead', 'go', stop.signal)
    await vi.waitFor(
      () => expect(world.events.some(({ type }) => type === 'call.started')).toBe(true),
      waitOptions,
    )
    stop.abort()
    expect(await report).toMatchObject({ status: 'cancelled' })
    expect(world.asked).toHaveLength(1)
  })

  it('ends immediately when it is cancelled while the runtime hangs', async () => {
    const world = await sdkWorld(() => answers.hang())
    const stop = new AbortController()
    const report = world.report('lead', 'go', stop.signal)
    await world.wire.received(1)
    for (const pid of world.runtimes()) process.kill(pid, 'SIGSTOP')
    stop.abort()
    expect(await report).toMatchObject({ status: 'cancelled' })
  })

  it('continues in a new runtime when the runtime is killed in the middle of a turn', async () => {
    let isFirst = true
    const world = await sdkWorld(({ messages }) => {
      if (!JSON.stringify(messages).includes('noted x'))
        return answers.reply({ text: 'I note it.', calls: [{ name: 'note', input: { text: 'x' } }] })
      if (!isFirst) return answers.reply({ text: 'Done.' })
      isFirst = false
      for (const pid of world.runtimes()) process.kill(pid, 'SIGKILL')
      return answers.hang()
    })
    const report = await world.report()
    expect(report).toMatchObject({ status: 'completed', text: 'Done.' })
    expect(world.effects.done).toEqual(['note x'])
    expect(report.notices).toMatchObject([{ code: 'copilot_runtime_restarted' }])
    expect(world.runtimes()).toHaveLength(1)
  })

  it('fails when the runtime is killed repeatedly', async () => {
    const world = await sdkWorld(() => {
      for (const pid of world.runtimes()) process.kill(pid, 'SIGKILL')
      return answers.hang()
    })
    const report = await world.report()
    expect(report.status).toBe('error')
    expect(report.notices?.at(-1)?.message).toContain('Tried 3 times.')
    expect(world.asked).toHaveLength(3)
  })

  it('tries as often as configured', async () => {
    const kill = () => {
      for (const pid of world.runtimes()) process.kill(pid, 'SIGKILL')
      return answers.hang()
    }
    const world = await sdkWorld(kill, { config: { copilot: { offline: true, tries: 1 } } })
    expect(await world.report()).toMatchObject({ status: 'error' })
    expect(world.asked).toHaveLength(1)
  })

  it('streams text once when the runtime is killed in the middle of it', async () => {
    const [opening = '', first = '', second = '', ...rest] = streamOf({ text: 'One two.', pieces: 2 })
    let isFirst = true
    const world = await sdkWorld(() => {
      if (!isFirst) return answers.raw([opening, first, second, ...rest])
      isFirst = false
      return answers.raw([opening, first], { end: 'hang' })
    })
    const told: string[] = []
    const hooks: ReplyHooks = {
      text(delta) {
        told.push(delta)
        if (told.length === 1) for (const pid of world.runtimes()) process.kill(pid, 'SIGKILL')
      },
    }
    const reply = await (await modelOf(world)).reply(question(), hooks, neverAborted())
    expect(reply).toMatchObject({ kind: 'reply', content: 'One two.' })
    expect(world.asked).toHaveLength(2)
    expect(told.join('')).toBe('One two.')
  })

  it('kills a hanging runtime, and continues in a new one', async () => {
    const clock = createFakeClock()
    let isFirst = true
    const world = await sdkWorld(
      () => {
        if (!isFirst) return answers.reply({ text: 'Done.' })
        isFirst = false
        for (const pid of world.runtimes()) process.kill(pid, 'SIGSTOP')
        return answers.hang()
      },
      { clock },
    )
    const report = world.report()
    await world.wire.received(1)
    const [stopped] = world.runtimes()
    // Advances the clock until it is noticed: first that nothing happens, then that the runtime does not answer.
    await vi.waitFor(() => {
      clock.advance(10_000)
      expect(world.runtimes()).not.toContain(stopped)
    }, waitOptions)
    expect(await report).toMatchObject({ status: 'completed', text: 'Done.' })
  })

  it('gives up a silent model in a runtime that answers', async () => {
    const fake = createFakeClock()
    // The runtime has unlimited time to answer the ping.
    const clock = {
      ...fake,
      after: (ms: number, then: () => void) => fake.after(ms === 5_000 ? ms : 1e12, then),
    }
    const config = { copilot: { offline: true, idleTimeout: 5_000 } }
    const world = await sdkWorld(() => answers.hang(), { clock, config })
    let isOver = false
    const report = world.report().finally(() => {
      isOver = true
    })
    const asked = await world.wire.received(1)
    await vi.waitFor(() => {
      fake.advance(5_000)
      expect(isOver).toBe(true)
    }, waitOptions)
    expect(await report).toMatchObject({
      status: 'error',
      notices: [{ code: 'timeout', message: 'copilot-sdk:m did not respond for 5 seconds.' }],
    })
    await asked.closed
  })

  it('reports which key was rejected in the middle of a turn, and never the key', async () => {
    const world = await sdkWorld(({ step }) =>
      step === 0
        ? answers.reply({ text: `My key is ${apiKey}.`, calls: [{ name: 'look', input: { path: 'a' } }] })
        : answers.problem(401, `the key ${apiKey} is wrong`),
    )
    const report = await world.report()
    expect(report).toMatchObject({
      status: 'error',
      notices: [
        {
          code: 'backend',
          message: expect.stringContaining('was denied (HTTP 401). Check the key for http://127.0.0.1'),
        },
      ],
    })
    expect(JSON.stringify([report, world.events])).not.toContain(apiKey)
    expect(world.journals()).not.toContain(apiKey)
  })

  it('reports the error of the model server', async () => {
    const world = await sdkWorld(() => answers.problem(404, 'no such model', { code: 'model_not_found' }))
    const report = await world.report()
    expect(report).toMatchObject({ status: 'error', notices: [{ code: 'backend' }] })
    expect(report.notices?.[0]?.message).toContain('404')
  })

  it('reports a tool that the runtime does not accept', async () => {
    const world = await sdkWorld(() => answers.reply({ text: 'x' }))
    const tools = [{ name: 'not a name', description: 'd', parameters: { type: 'object' as const } }]
    const { reply } = await ask(await modelOf(world), { tools })
    expect(reply).toMatchObject({ kind: 'failed', code: 'backend' })
    expect(reply.kind === 'failed' && reply.message).toContain("rejected one of this session's tools")
  })

  it('passes an empty reply to the loop, which asks again', async () => {
    let count = 0
    const world = await sdkWorld(() => answers.reply({ text: count++ === 0 ? '' : 'Now I speak.' }))
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Now I speak.' })
  })
})

describe('the Copilot runtime', () => {
  it('ends when it has been idle for a while, and leaves no files', async () => {
    const clock = createFakeClock()
    const world = await sdkWorld(() => answers.reply({ text: 'Hi.' }), { clock })
    await world.report()
    const [pid] = world.runtimes()
    expect(pid).toBeDefined()
    await vi.waitFor(() => {
      clock.advance(60_000)
      expect(world.runtimes()).toEqual([])
    }, waitOptions)
    await world.report()
    expect(world.runtimes()).toHaveLength(1)
    expect(world.runtimes()).not.toContain(pid)
  })

  it('writes only to a private folder, and no key', async () => {
    const world = await sdkWorld(() => answers.reply({ text: 'Hi.' }))
    const model = await modelOf(world)
    await ask(model)
    const files = readdirSync(world.home, { recursive: true, encoding: 'utf8' })
    const base = path.join('.local', 'state', 'cadre', 'copilot-sdk')
    expect(files.filter((name) => !base.startsWith(name) && !name.startsWith(base))).toEqual([])
    expect(world.filesWith(apiKey)).toEqual([])
    model.release?.('lead-1')
  })

  it('ends with the process that started it, however that ends', async () => {
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const world = await sdkWorld(() => answers.hang())
      const child = world.startElsewhere()
      await world.wire.received(1)
      expect(world.runtimes()).toHaveLength(1)
      child.kill(signal)
      await vi.waitFor(() => expect(world.runtimes()).toEqual([]), waitOptions)
    }
  })

  it('may die at any moment without an unhandled error', async () => {
    const failures: unknown[] = []
    const note = (reason: unknown) => failures.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const world = await sdkWorld(() =>
      answers.reply({ calls: [{ id: 'c', name: 'look', input: { path: 'a' } }] }),
    )
    const model = await modelOf(world)
    const tools = [{ name: 'look', description: 'd', parameters: { type: 'object' as const } }]
    await ask(model, { tools })
    const [pid = 0] = world.runtimes()
    process.kill(pid, 'SIGKILL')
    // Until this function awaits something, this process cannot learn that the runtime is gone.
    while (world.runtimes().includes(pid));
    model.release?.('lead-1')
    expect((await ask(model, { tools })).reply).toMatchObject({ kind: 'reply' })
    model.release?.('lead-1')
    expect(failures).toEqual([])
  })

  it('answers a request without its session in the middle of a turn', async () => {
    const world = await sdkWorld(({ tools, step }) =>
      tools.length === 0
        ? answers.reply({ text: 'A summary.' })
        : step === 0
          ? answers.reply({ calls: [{ id: 'c', name: 'look', input: { path: 'a' } }] })
          : answers.reply({ text: 'Done.' }),
    )
    const model = await modelOf(world)
    const tools = [{ name: 'look', description: 'd', parameters: { type: 'object' as const } }]
    const messages = [{ role: 'user' as const, content: 'Go.' }]
    const hooks: ReplyHooks = { text: () => {} }
    const first = await model.reply(question({ tools, messages }), hooks, neverAborted())
    if (first.kind === 'failed') throw new Error(first.message)
    const summary = {
      purpose: 'summary' as const,
      tools: [],
      messages: [{ role: 'user' as const, content: 'Sum up.' }],
    }
    expect(await model.reply(question(summary), hooks, neverAborted())).toMatchObject({
      content: 'A summary.',
    })
    const later = [
      ...messages,
      { role: 'assistant' as const, content: first.content, tool_calls: first.calls },
      { role: 'tool_result' as const, tool_call_id: 'c', content: 'seen' },
    ]
    expect(await model.reply(question({ tools, messages: later }), hooks, neverAborted())).toMatchObject({
      content: 'Done.',
    })
    expect(world.asked.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'seen' })
    model.release?.('lead-1')
  })
})
