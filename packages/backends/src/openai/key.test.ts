import { answers } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { ask, askFor, failureOf } from '../ask.spec-helpers.ts'
import { meet } from './open-model.spec-helpers.ts'

const { reply, problem } = answers
const ok = reply({ text: 'ok' })

describe('a key from a command', () => {
  it('is requested once, for any number of requests', async () => {
    const { wire, model } = await meet(ok, {
      openai: { keyCommand: `${node} -e "console.log('key-' + process.pid)"` },
    })
    await Promise.all(Array.from({ length: 10 }, () => askFor(model)))
    const keys = new Set(wire.requests.map((request) => request.headers.authorization))
    expect(keys.size).toBe(1)
    expect([...keys][0]).toMatch(/^Bearer key-\d+$/)
  })

  it('is requested again, once, if it was rejected', async () => {
    const { wire, model } = await meet(
      [problem(401, 'expired'), ok, problem(401, 'expired'), problem(401, 'expired')],
      {
        openai: { keyCommand: `${node} -e "console.log('key-' + process.pid)"` },
      },
    )
    await askFor(model)
    const [old, fresh] = wire.requests.map((request) => request.headers.authorization)
    expect(fresh).not.toBe(old)
    expect((await failureOf(model)).message).toMatch(
      /rejected the key \(401: expired\)\. Check the output of openai\.keyCommand in config\.yaml\.$/,
    )
    expect(wire.requests).toHaveLength(4)
  })

  it('is not requested again for a request that was rejected before the new one arrived', async () => {
    const { wire, model } = await meet(
      async (request) => {
        // The second rejection is delayed until the first has led to a new key.
        if (request.number === 2) await wire.received(3)
        return request.number < 3 ? problem(401, 'expired') : ok
      },
      { openai: { keyCommand: `${node} -e "console.log('key-' + process.pid)"` } },
    )
    await Promise.all([askFor(model), askFor(model)])
    const keys = wire.requests.map((request) => request.headers.authorization)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
    expect(keys[3]).toBe(keys[2])
  })

  it.each([
    [
      'exit 3',
      'The command in openai.keyCommand failed (exit code 3). Run the command in a terminal to see why.',
    ],
    ['true', 'The command in openai.keyCommand printed no key.'],
    [
      'echo two words',
      'The command in openai.keyCommand printed a key with spaces or other invalid characters.',
    ],
  ])('that provides none is a failure with the reason: %s', async (keyCommand, message) => {
    const { wire, model } = await meet(ok, { openai: { keyCommand } })
    expect(await failureOf(model)).toEqual({ kind: 'failed', code: 'backend', message, spent: 'nothing' })
    expect(wire.requests).toHaveLength(0)
  })

  it('does not delay a cancelled request', async () => {
    const { model } = await meet(ok, {
      openai: { keyCommand: `${node} -e "setTimeout(() => console.log('key'), 500)"` },
    })
    const controller = new AbortController()
    const answered = ask(model, {}, controller.signal)
    controller.abort()
    expect((await answered).reply).toMatchObject({ code: 'cancelled' })
  })

  const node = JSON.stringify(process.execPath)
})
