import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Clock } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { FakeSession, fakeAgent, patience } from './fake-agent.spec-helpers.ts'
import { markVariable } from './kill-marked-processes.ts'

/** Each row starts a program, so `npm test` runs every second one. */
const some = <Row>(rows: readonly Row[]) =>
  rows.filter((_, at) => process.env['CADRE_DEEP'] || process.env['CADRE_OPTIONAL'] || at % 2 === 0)

describe('a program that leaves the control of Cadre', () => {
  it.each(
    some([
      [
        'completes a call of its own',
        `update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Terminal', status: 'completed' })`,
        /completed a call of its own/,
      ],
      [
        'completes one more call than Cadre answered, under the name of a tool of Cadre',
        `await call('note', {}); for (const id of ['a', 'b']) update({ sessionUpdate: 'tool_call_update', toolCallId: id, title: 'cadre-note', status: 'completed' })`,
        /completed a call of its own/,
      ],
      [
        'switches all questions off',
        `update({ sessionUpdate: 'config_option_update', configOptions: [{ id: 'allow_all', currentValue: 'on' }] })`,
        /turned off all permission requests/,
      ],
      [
        'switches to another mode with an option',
        `update({ sessionUpdate: 'config_option_update', configOptions: [{ id: 'mode', category: 'mode', currentValue: 'autopilot' }] })`,
        /switched to the mode "autopilot"/,
      ],
      [
        'switches to another mode',
        `update({ sessionUpdate: 'current_mode_update', currentModeId: 'bypass' })`,
        /switched to the mode "bypass"/,
      ],
    ]),
  )('is stopped if it %s', async (_, act, expected) => {
    const { model } = fakeAgent(
      `
      on['session/new'] = (params) => { mcp = params.mcpServers[0]; return { sessionId: session, modes: { currentModeId: 'ask' } } }
      prompted = async () => { ${act}; await hang() }`,
      { tries: 3 },
    )
    const session = new FakeSession(model)
    let reply = await session.ask()
    if (reply.kind === 'reply') {
      session.result(reply, 0, 'Noted.')
      reply = await session.ask()
    }
    expect(reply).toMatchObject({ kind: 'failed', code: 'backend', message: expect.stringMatching(expected) })
    expect(session.notices).toEqual([expect.stringMatching(/^acp_breach: /)])
  })

  it('is refused if its questions are off from the start', async () => {
    const { model } = fakeAgent(
      `on['session/new'] = () => ({ sessionId: session, configOptions: [{ id: 'allow_all', currentValue: 'on' }] })`,
    )
    expect((await new FakeSession(model).failure()).message).toMatch(/turned off all permission requests/)
  })

  it('gets no permission, whatever it asks for', async () => {
    const { model } = fakeAgent(`prompted = async () => {
        const asked = [
          await permit({ kind: 'execute', title: 'ls', rawInput: { command: 'ls' } }),
          await permit({ kind: 'launch_missiles', title: 'x'.repeat(1000) }),
          await permit({ title: 'cadre-note' }, [{ optionId: 'always', kind: 'allow_always' }]),
          await permit({ title: 'other session' }, options, 's2'),
        ]
        say(JSON.stringify(asked.map(({ outcome, optionId }) => optionId ?? outcome)))
        return done
      }`)
    const session = new FakeSession(model)
    expect((await session.reply()).content).toBe('["no","no","cancelled","cancelled"]')
    expect(session.notices[0]).toBe(
      "acp_denied: Cadre denied an action by Fake (ls): in this session, the program may use only Cadre's tools.",
    )
    expect(session.notices[1]?.length).toBeLessThan(400)
  })

  it('gets no access to files or terminals', async () => {
    const { model, file } = fakeAgent(`prompted = async () => {
        const wrote = await ask('fs/write_text_file', { sessionId: session, path: file, content: 'x' })
        const ran = await ask('terminal/create', { sessionId: session, command: 'touch', args: [file] })
        say(wrote.error.code + ' ' + ran.error.message)
        return done
      }`)
    expect((await new FakeSession(model).reply()).content).toBe(
      '-32601 Cadre does not support terminal/create',
    )
    expect(existsSync(file)).toBe(false)
  })
})

describe('a broken program', () => {
  it.each(
    some([
      ['a huge message', `raw('x'.repeat(33 << 20)); await hang()`, /sent a message of more than 32 MiB/],
      [
        'endless text',
        `for (let i = 0; i < 12; i++) say('x'.repeat(1e6)); await hang()`,
        /more than 10 million characters/,
      ],
    ]),
  )('is stopped after %s', async (_, act, expected) => {
    const { model } = fakeAgent(`prompted = async () => { ${act} }`)
    expect(await new FakeSession(model).failure()).toMatchObject({ message: expect.stringMatching(expected) })
  })

  it('may print other lines, and answer requests that nobody sent', async () => {
    const { model } = fakeAgent(`raw('Welcome!\\n{"broken\\n[]\\nnull\\n42\\n{"id":{}}\\n')
      prompted = async () => {
        for (const id of [1, 99, -1, 'x', null]) send({ id, result: { stopReason: 'refusal' } })
        update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'not mine' } }, 's2')
        for (const broken of [null, 5, [], { sessionUpdate: 'x' }, { sessionUpdate: 'agent_message_chunk' }]) update(broken)
        send({ method: 'session/update' })
        send({ method: 'unknown', params: {} })
        say('fine')
        return done
      }`)
    expect((await new FakeSession(model).reply()).content).toBe('fine')
  })

  it.each(
    some([
      ['does not start', `on.initialize = hang`, 'backend', /did not start within 120 seconds|exited/],
      [
        'opens no session',
        `on['session/new'] = () => ({})`,
        'backend',
        /could not open a session: its response is invalid/,
      ],
      [
        'speaks another version',
        `on.initialize = () => ({ protocolVersion: 2 })`,
        'backend',
        /does not support version 1/,
      ],
      [
        'takes no tools',
        `on.initialize = () => ({ protocolVersion: 1 })`,
        'backend',
        /cannot use MCP servers over HTTP/,
      ],
      [
        'cancels by itself',
        `prompted = async () => ({ stopReason: 'cancelled' })`,
        'backend',
        /cancelled its turn/,
      ],
    ]),
  )('fails with a reason if it %s', async (_, body, code, expected) => {
    const { model } = fakeAgent(body, body.includes('hang') ? { clock: racingClock() } : {})
    expect(await new FakeSession(model).failure()).toMatchObject({
      code,
      message: expect.stringMatching(expected),
    })
  })

  it('counts as hung after a time without an event', async () => {
    const { model } = fakeAgent(`prompted = hang`, { clock: racingClock(100_000), idleTimeout: 5_000 })
    expect(await new FakeSession(model).failure()).toMatchObject({
      code: 'timeout',
      message: 'Fake did not respond for 5 seconds.',
    })
  })

  it('gets a new conversation if it gave up a call while its approval was pending', async () => {
    const { model, file } = fakeAgent(`prompted = async (text) => {
        if (text.includes('started earlier')) { say(text); return done }
        const stopper = new AbortController()
        const waits = call('note', {}, stopper.signal).then(() => 'delivered', () => 'given up')
        await until(() => existsSync(file))
        stopper.abort()
        await waits
        // When this is answered, the server has noticed the closed connection.
        await (await post('tools/list', {})).text()
        writeFileSync(file + '.done', '')
        say(await waits)
        return done
      }
      const until = async (holds) => { while (!holds()) await new Promise((ok) => setTimeout(ok, 5)) }`)
    const session = new FakeSession(model)
    const first = await session.reply()
    session.result(first, 0, 'Approved at last.')
    writeFileSync(file, '')
    await expect.poll(() => existsSync(`${file}.done`), patience).toBe(true)
    expect((await session.reply()).content).toContain('Approved at last.')
  })
})

it('ends what a killed Cadre left behind', async () => {
  const { model, folder } = fakeAgent(`prompted = async () => { say('ok'); return done }`)
  // No process has this number.
  const name = `${2 ** 22 + 1}-left`
  const left = path.join(folder, 'home/.local/state/cadre/acp', name)
  mkdirSync(left, { recursive: true })
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], {
    env: { [markVariable]: name },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  await new Promise((resolve) => child.once('spawn', resolve))
  expect((await new FakeSession(model).reply()).content).toBe('ok')
  expect(await ended).toBe('SIGKILL')
  expect(existsSync(left)).toBe(false)
})

/** A clock on which every wait of at most `longest` ends immediately, and longer ones never end. */
function racingClock(longest = Number.POSITIVE_INFINITY): Clock {
  let now = 0
  return {
    now: () => now,
    after(ms, callback) {
      if (ms > longest) return () => {}
      const timer = setImmediate(() => {
        now += ms
        callback()
      })
      return () => clearImmediate(timer)
    },
  }
}
