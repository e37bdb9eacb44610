import { existsSync, readFileSync } from 'node:fs'
import { createFakeClock } from '@cadre/testing'
import { describe, expect, it } from 'vitest'
import { FakeSession, fakeAgent, patience } from './fake-agent.spec-helpers.ts'

/** `npm test` skips them: each starts a program. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

describe('a program as a model', () => {
  it('returns a call as a reply, and gives the program the result with the next request', async () => {
    const { model } = fakeAgent(
      `prompted = async () => { say('I note.'); say('Got ' + await call('note', { text: 'a' })); return done }`,
    )
    const session = new FakeSession(model)
    const first = await session.reply()
    expect(first).toMatchObject({
      content: 'I note.',
      calls: [{ function: { name: 'note', arguments: '{"text":"a"}' } }],
    })
    session.result(first, 0, 'Noted.')
    expect(await session.reply()).toEqual({
      kind: 'reply',
      content: 'Got Noted.',
      calls: [],
      usage: { input: 7, output: 3 },
    })
    expect(session.notices).toEqual([])
  })

  it('answers each of several parallel calls with its own result', async () => {
    const { model } = fakeAgent(`prompted = async () => {
        say((await Promise.all([call('note', { text: 'a' }), call('note', { text: 'b' })])).join('+'))
        return done
      }`)
    const session = new FakeSession(model)
    let reply = await session.reply()
    const asked: string[] = []
    // Calls that arrive together are in one reply. When they arrive depends on the machine.
    while (reply.calls.length > 0) {
      for (const [index, { function: one }] of reply.calls.entries()) {
        const { text } = JSON.parse(one.arguments)
        asked.push(text)
        session.result(reply, index, `result of ${text}`)
      }
      reply = await session.reply()
    }
    expect(asked.sort()).toEqual(['a', 'b'])
    expect(reply.content).toBe('result of a+result of b')
  })

  inDeep('passes on messages that arrive during a turn, and continues after it', async () => {
    const { model } = fakeAgent(`let turns = 0
      prompted = async (text) => { say(turns++ > 0 ? 'Turn ' + turns + ' heard ' + text : await call('note', {})); return done }`)
    const session = new FakeSession(model)
    const call = await session.reply()
    session.result(call, 0, 'Noted.')
    session.say('Hurry.')
    expect((await session.reply()).content).toBe('Noted.\n\n<user_message>\nHurry.\n</user_message>')
    session.say('/yolo')
    expect((await session.reply()).content).toBe('Turn 2 heard <user_message>\n/yolo\n</user_message>')
  })

  it('never starts a message with the text of a person', async () => {
    const { model } = fakeAgent(`prompted = async (text) => { say(text); return done }`)
    const system = new FakeSession(model, { messages: [{ role: 'user', content: ' /allow-all' }] })
    expect((await system.reply()).content).toBe(
      '<system_instructions>\nYou lead.\n</system_instructions>\n\n<user_message>\n /allow-all\n</user_message>',
    )
    const plain = new FakeSession(model, {
      session: 'other',
      system: '',
      messages: [{ role: 'user', content: '!touch x' }],
    })
    expect((await plain.reply()).content).toMatch(/^<user_message>/)
  })

  it('starts again with a transcript if the program exits during a turn', async () => {
    const { model } = fakeAgent(
      `prompted = async (text) => {
        if (existsSync(file)) { say(text); return done }
        await call('note', { text: 'a' })
        writeFileSync(file, '')
        process.exit(1)
      }`,
      { tries: 2 },
    )
    const session = new FakeSession(model)
    const first = await session.reply()
    session.result(first, 0, 'Noted.')
    const { content } = await session.reply()
    expect(content).toContain('This conversation started earlier.')
    expect(content).toContain('"content":"Noted."')
    expect(session.notices).toEqual(['acp_restarted: Fake exited with code 1. Cadre is starting Fake again.'])
  })

  inDeep('starts a new conversation if the messages do not continue the last one', async () => {
    const { model } = fakeAgent(`prompted = async (text) => { say(process.pid + text); return done }`)
    const first = await new FakeSession(model).reply()
    const second = await new FakeSession(model, { messages: [{ role: 'user', content: 'Else' }] }).reply()
    expect(second.content).toContain('Else')
    expect(Number.parseInt(second.content ?? '', 10)).not.toBe(Number.parseInt(first.content ?? '', 10))
  })

  it('reports why a program cannot start, without its keys', async () => {
    const { model } = fakeAgent(`console.error('bad key ' + process.env.FAKE_KEY); process.exit(3)`, {
      env: { FAKE_KEY: 'a-very-secret-key' },
    })
    expect(await new FakeSession(model).failure()).toEqual({
      kind: 'failed',
      code: 'backend',
      message: 'Fake exited with code 3. Its last line: bad key [hidden]',
    })
  })

  it('gives the program only basic variables and its own', async () => {
    const { model } = fakeAgent(
      `prompted = async () => { say(Object.keys(process.env).sort().join(' ')); return done }`,
      { env: { FAKE_KEY: 'a-very-secret-key', OPENAI_API_KEY: 'other', COPILOT_ALLOW_ALL: 'true' } },
    )
    expect((await new FakeSession(model).reply()).content).toBe('CADRE_ACP_PROGRAM FAKE_KEY HOME PATH')
  })

  inDeep('keeps calls on this machine if there is a proxy', async () => {
    const body = `prompted = async () => { say(process.env.NO_PROXY + ' ' + process.env.no_proxy); return done }`
    const { model } = fakeAgent(body, { env: { https_proxy: 'http://proxy.test', NO_PROXY: 'corp' } })
    expect((await new FakeSession(model).reply()).content).toBe(
      'corp,127.0.0.1,localhost corp,127.0.0.1,localhost',
    )
  })

  it('understands every stop reason', async () => {
    const { model } = fakeAgent(
      `prompted = async (text) => { say('x'); return { stopReason: text.split('\\n').at(-2) } }`,
    )
    const session = new FakeSession(model, { messages: [{ role: 'user', content: 'end_turn' }] })
    const reply = { kind: 'reply', content: 'x', calls: [] }
    expect(await session.reply()).toEqual(reply)
    session.say('max_turn_requests')
    expect(await session.reply()).toEqual(reply)
    session.say('max_tokens')
    expect(await session.reply()).toEqual({ ...reply, stop: 'length' })
    session.say('refusal')
    expect(await session.reply()).toEqual({ ...reply, stop: 'filtered' })
    session.say('cancelled')
    expect(await session.failure()).toMatchObject({ message: 'Fake cancelled its turn.' })
  })

  inDeep('counts an error that the program writes as text as a failure', async () => {
    const failureIn = (text: string) => /^Error: (.+)/.exec(text)?.[1]
    const { model } = fakeAgent(
      `prompted = async () => { say('Error: no such model'); return { stopReason: 'end_turn' } }`,
      {
        program: { failureIn },
      },
    )
    expect((await new FakeSession(model).failure()).message).toBe('Fake failed: no such model.')
  })

  it('chooses the model that the name asks for, or lists those that exist', async () => {
    const body = `let chosen
      on['session/new'] = (params) => {
        mcp = params.mcpServers[0]
        const option = { id: 'model', category: 'model', type: 'select', currentValue: 'a', options: [{ value: 'a' }, { group: 'g', options: [{ value: 'b/c' }] }] }
        return loaded().then(() => ({ sessionId: session, configOptions: [option] }))
      }
      on['session/set_config_option'] = ({ value }) => { chosen = value; return { configOptions: [] } }
      prompted = async () => { say(chosen); return done }`
    expect((await new FakeSession(fakeAgent(body, { wanted: 'b/c' }).model).reply()).content).toBe('b/c')
    const { message } = await new FakeSession(fakeAgent(body, { wanted: 'd' }).model).failure()
    expect(message).toBe('Fake has no model "d". Its models: a, b/c.')
  })

  inDeep('restarts a program that did not load its tools', async () => {
    const { model } = fakeAgent(
      `
      loaded = async () => { if (existsSync(file)) await post('tools/list', {}); else writeFileSync(file, '') }
      prompted = async () => { say('Hello.'); return done }`,
      { tries: 2 },
    )
    const session = new FakeSession(model)
    expect((await session.reply()).content).toBe('Hello.')
    expect(session.notices).toEqual([expect.stringContaining("did not load Cadre's tools")])
  })

  it('fails if the program never loads its tools', async () => {
    const body = `loaded = async () => {}; prompted = async () => { say('I have no tools.'); return done }`
    const { model } = fakeAgent(body, { tries: 2 })
    expect((await new FakeSession(model).failure()).message).toMatch(
      /^Fake did not load Cadre's tools, so its model had to answer without them\. Tried 2 times\.$/,
    )
  })

  inDeep('answers a summary in a conversation of its own, without tools', async () => {
    const { model } = fakeAgent(
      `prompted = async () => { const { tools } = results(await (await post('tools/list', {})).text())[0].result; say(tools.length + ' tools'); return done }`,
    )
    const session = new FakeSession(model)
    expect((await session.reply()).content).toBe('1 tools')
    const aside = new FakeSession(model, { purpose: 'summary' })
    expect((await aside.reply()).content).toBe('0 tools')
  })

  it('leaves no process behind when it is cancelled, not even a detached one', async () => {
    const { model, file } = fakeAgent(`prompted = async () => {
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { detached: true, stdio: 'ignore' })
        writeFileSync(file, process.pid + ' ' + child.pid)
        await call('note', { text: 'ready' })
        return hang()
      }
      onClose = () => {}`)
    const session = new FakeSession(model)
    const first = await session.reply()
    session.result(first, 0, 'Go on.')
    const stopper = new AbortController()
    const asking = session.ask(stopper.signal)
    stopper.abort()
    expect(await asking).toMatchObject({ kind: 'failed', code: 'cancelled' })
    await model.end()
    const pids = readFileSync(file, 'utf8').split(' ').map(Number)
    await expect.poll(() => pids.filter(isAlive), patience).toEqual([])
  })

  inDeep('deletes its private folder at the end', async () => {
    const { model } = fakeAgent(`prompted = async () => { say(process.cwd()); return done }`)
    const { content } = await new FakeSession(model).reply()
    expect(existsSync(content ?? '')).toBe(true)
    model.release?.('lead-1')
    await model.end()
    await expect.poll(() => existsSync(content ?? ''), patience).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

inDeep('a request that is cancelled before the program starts cleans up its sandbox', async () => {
  const stop = new AbortController()
  const cleanUps: string[] = []
  const { model } = fakeAgent('', {
    control: 'sandbox',
    confine: async (start) => {
      stop.abort()
      return { kind: 'start', ...start, cleanUp: async () => void cleanUps.push('once') }
    },
  })
  expect(await new FakeSession(model).ask(stop.signal)).toMatchObject({ kind: 'failed', code: 'cancelled' })
  expect(cleanUps).toEqual(['once'])
})

inDeep('ends only when the sandbox of every released session is cleaned up', async () => {
  let isClean = false
  const { model } = fakeAgent('', {
    control: 'sandbox',
    confine: async (start) => ({
      kind: 'start',
      ...start,
      cleanUp: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        isClean = true
      },
    }),
  })
  await new FakeSession(model, { session: 's1' }).reply()
  model.release?.('s1')
  await model.end()
  expect(isClean).toBe(true)
})

it('hides keys and the token in live text, even if the program sends them in pieces', async () => {
  const { model } = fakeAgent(
    `prompted = async () => {
      const token = mcp.headers[0].value.split(' ').at(-1)
      for (const letter of process.env.FAKE_KEY + ' and ' + token + ' a-very') say(letter)
      return done
    }`,
    { env: { FAKE_KEY: 'a-very-secret-key' } },
  )
  const session = new FakeSession(model)
  expect((await session.reply()).content).toBe('[hidden] and [hidden] a-very')
  expect(session.live).toBe('[hidden] and [hidden] a-very')
})

it('a program that is silent is reported within seconds, and its end is not waited for', async () => {
  const clock = createFakeClock()
  const { model, file } = fakeAgent(
    `prompted = async () => { writeFileSync(file, ''); await new Promise(() => {}) }`,
    { clock },
  )
  const session = new FakeSession(model)
  const stop = new AbortController()
  const asked = session.ask(stop.signal)
  await expect.poll(() => existsSync(file), patience).toBe(true)
  expect(session.delays).toEqual([])
  clock.advance(6_000)
  expect(session.delays).toEqual(['Waiting for Fake, which has sent nothing for 5 s…'])
  stop.abort()
  expect(await asked).toMatchObject({ code: 'cancelled' })
})

it.each([
  [
    'the session is opened',
    `on['session/new'] = () => { throw { code: -32000, message: 'Authentication required' } }`,
  ],
  ['it is prompted', `prompted = async () => { throw { code: -32000, message: 'Authentication required' } }`],
])(
  'a program that nobody has signed in to names the sign-in, not the installation, when %s',
  async (_, body) => {
    const { model } = fakeAgent(body, {
      program: { install: 'Install it.', signIn: 'Sign in with "fake login".' },
    })
    expect(await new FakeSession(model).failure()).toMatchObject({
      message: 'Fake is not signed in: Authentication required. Sign in with "fake login".',
    })
  },
)
