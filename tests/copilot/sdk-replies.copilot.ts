import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { apiKey, sdkWorld } from './support/sdk-world.ts'

describe('a session on the Copilot SDK', () => {
  it('answers with the text of the model, under our prompt and with our tools only', async () => {
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

  it('runs a call and brings its result to the model', async () => {
    const world = await sdkWorld(({ step }) =>
      step === 0
        ? answers.reply({ text: 'I look.', calls: [{ name: 'look', input: { path: 'a' } }] })
        : answers.reply({ text: 'Done.' }),
    )
    expect(await world.report()).toMatchObject({ status: 'completed', text: 'Done.', calls: 1 })
    expect(world.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'saw a' })
    expect(world.journals()).toContain('saw a')
  })
})
