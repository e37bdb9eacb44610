import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { defineTool, object, type Ports, string, type Tool } from '@cadre/core'
import { rawOf } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { readChatLog } from '@cadre/journal'
import { call, fail, type Line, say, scriptedModels } from '@cadre/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { template, temporaryHome, until } from '../daemon/daemon.spec-helpers.ts'
import { openTestDaemon } from '../daemon/test-daemon.spec-helpers.ts'
import { createSessionsDuty } from '../sessions/sessions-duty.ts'
import { createChatLogDuty } from './create-chat-log-duty.ts'
import { insertAnswer } from './insert-answer.ts'
import { pendingMessages } from './pending-messages.ts'

const head = '# Agent: planner\ntype: planner\n\n## System Prompt\n\nYou plan.\n\n## Conversation\n'
const before =
  '\n### 2025-10-04 10:00:00 | user\n\nHello\n\n### 2025-10-04 10:00:01 | assistant\n\nHi there.\n'
const question = '\n### 2025-10-04 10:00:02 | user\n\nIs Redis running?\n'

const look: Tool = defineTool({
  name: 'look',
  description: 'Looks.',
  class: 'read',
  effect: 'read',
  input: object({ at: string('where') }),
  run: async () => ({ content: '### 2020-01-01 00:00:00 | user\nIt runs.' }),
}) as Tool

function entriesOf(text: string) {
  const read = readChatLog(rawOf(text))
  if (read.kind !== 'log') throw new Error(read.reason)
  return read.log.entries.map((entry) => [
    entry.role,
    entry.role === 'tool_call' ? entry.name : entry.content,
  ])
}

interface WorldOptions {
  readonly home: Home
  readonly agents?: readonly string[]
  readonly lanes: Readonly<Record<string, readonly Line[]>>
  readonly tools?: readonly Tool[]
  readonly onLifecycleEvent?: Ports['onLifecycleEvent']
  readonly before?: () => void
}

type World = Awaited<ReturnType<typeof createWorld>>

async function createWorld({ home, agents = [], lanes, ...more }: WorldOptions) {
  for (const name of agents) template(home, name)
  const models = scriptedModels(lanes)
  // A session from a log may have no model, which means the default model.
  const resolve: typeof models.resolve = (name) => models.resolve(name || undefined)
  const life = await openTestDaemon({ home, models: { resolve }, ...more })
  return { ...life, models, problems: () => life.context.problems.list() }
}

function logFile(home: Home, name: string) {
  const file = `${home.folder('agents')}/${name}.agent.md`
  return {
    name: `agents/${name}.agent.md`,
    write: (text: string) => writeFileSync(file, text),
    add: (text: string) => writeFileSync(file, text, { flag: 'a' }),
    text: () => readFileSync(file, 'utf8'),
  }
}

async function settle(world: World, duty: ReturnType<typeof createChatLogDuty>): Promise<void> {
  for (let times = 0; times < 5; times++) {
    await world.rest()
    await duty.tick?.(Date.now())
  }
}

describe('a chat log', () => {
  it('gets the answer to the message at its end, with its calls, and is otherwise unchanged', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'planner')
    log.write(head + before + question)
    const lane = [
      say('never'),
      call(['look', { at: 'redis' }]),
      say('Yes, it runs.'),
      say('You are welcome.'),
    ]
    const world = await createWorld({ home, agents: ['planner'], lanes: { planner: lane }, tools: [look] })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    await settle(world, duty)
    expect(log.text().startsWith(head + before + question)).toBe(true)
    const answered = [
      ['user', 'Hello'],
      ['assistant', 'Hi there.'],
      ['user', 'Is Redis running?'],
      ['tool_call', 'look'],
      ['tool_result', '### 2020-01-01 00:00:00 | user\nIt runs.'],
      ['assistant', 'Yes, it runs.'],
    ]
    expect(entriesOf(log.text())).toEqual(answered)
    expect(world.models.requests[0]?.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hi there.'],
      ['user', 'Is Redis running?'],
    ])
    // The daemon ignores its own change.
    const now = log.text()
    await duty.changed([log.name])
    await settle(world, duty)
    expect(log.text()).toBe(now)
    expect(world.models.requests).toHaveLength(2)
    log.add('\n### 2025-10-04 11:00:00 | user\nThanks!')
    await duty.changed([log.name])
    await settle(world, duty)
    expect(entriesOf(log.text()).slice(-2)).toEqual([
      ['user', 'Thanks!'],
      ['assistant', 'You are welcome.'],
    ])
    expect(world.problems()).toEqual([])
    expect(world.notes.map(({ type }) => type)).toEqual(['log.imported', 'log.answered', 'log.answered'])
  })

  it('uses its own prompt if there is no template, and has no tools then', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'poet')
    log.write(`${head.replace('planner\n', 'poet\n')}${question}`)
    const world = await createWorld({ home, lanes: { poet: [say('Roses.')] }, tools: [look] })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    await settle(world, duty)
    expect(entriesOf(log.text()).at(-1)).toEqual(['assistant', 'Roses.'])
    expect(world.models.requests[0]).toMatchObject({ system: 'You plan.', tools: [] })
  })

  it.each(['placed', 'queued', 'told', 'answered'] as const)(
    'is answered once when the daemon dies after it was %s',
    async (moment) => {
      const { home } = temporaryHome()
      const log = logFile(home, 'planner')
      log.write(head + before + question)
      const first = await createWorld({
        home,
        agents: ['planner'],
        lanes: { planner: [say('never'), moment === 'told' ? 'hang' : say('Yes.')] },
        before() {
          if (moment === 'placed') throw new Error('killed')
        },
      })
      await createChatLogDuty(first.context).start()
      if (moment === 'told') await until(() => first.models.requests.length === 1)
      if (moment === 'answered') await first.rest()
      // The first daemon is gone, and has not changed the log.
      await first.kill()
      expect(log.text()).toBe(head + before + question)
      const second = await createWorld({
        home,
        agents: ['planner'],
        lanes: { planner: [say('never'), say('Yes.')] },
      })
      // The daemon first resumes unfinished sessions, and then reads the logs.
      await createSessionsDuty({ ...second.context, sessions: second.keeper }, { asks: () => {} }).start()
      const duty = createChatLogDuty(second.context)
      await duty.start()
      await settle(second, duty)
      expect(entriesOf(log.text()).slice(2)).toEqual([
        ['user', 'Is Redis running?'],
        ['assistant', 'Yes.'],
      ])
      const stored = await second.engine.read('planner-chat')
      const heard = stored?.entries.filter(
        (entry) => entry.role === 'user' && entry.content === 'Is Redis running?',
      )
      expect(heard).toHaveLength(1)
      const third = createChatLogDuty(second.context)
      const now = log.text()
      await third.start()
      await settle(second, third)
      expect(log.text()).toBe(now)
    },
  )

  it('keeps messages that a person adds in the meantime below the answer, and answers them too', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'planner')
    log.write(head + question)
    const more = '\n### 2025-10-04 10:00:30 | user\n\nAnd Postgres?\n'
    const lane = [
      () => {
        log.write(log.text().replace('Hello', 'Hello!') + more)
        return say('Redis runs.')
      },
      say('Postgres as well.'),
    ]
    const world = await createWorld({ home, agents: ['planner'], lanes: { planner: lane } })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    await settle(world, duty)
    await duty.changed([log.name])
    await settle(world, duty)
    expect(entriesOf(log.text())).toEqual([
      ['user', 'Is Redis running?'],
      ['assistant', 'Redis runs.'],
      ['user', 'And Postgres?'],
      ['assistant', 'Postgres as well.'],
    ])
    expect(log.text()).toContain(more.trim())
  })

  it('leaves a message unanswered if its session was stopped first', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'planner')
    log.write(head + question)
    const more = '\n### 2025-10-04 10:00:30 | user\n\nAnd Postgres?\n'
    const world = await createWorld({
      home,
      agents: ['planner'],
      lanes: {
        planner: [
          async () => {
            log.add(more)
            await duty.changed([log.name])
            return call(['look', { at: 'redis' }])
          },
        ],
      },
      tools: [look],
      onLifecycleEvent: async ({ kind }) => (kind === 'call.settled' ? { stop: 'enough' } : undefined),
    })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    await settle(world, duty)
    expect(entriesOf(log.text()).at(-1)).toEqual(['user', 'And Postgres?'])
    expect(world.problems()).toMatchObject([{ message: expect.stringContaining('without an answer') }])
  })

  it('waits for an entry that is still empty, and for one that its session refuses', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'planner')
    log.write(`${head}\n### 2025-10-04 10:00:02 | user\n`)
    const world = await createWorld({
      home,
      agents: ['planner'],
      lanes: { planner: [] },
      onLifecycleEvent: async (moment) =>
        moment.kind === 'prompt.given' ? { blocked: 'not today' } : undefined,
    })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    expect(world.problems()).toEqual([])
    expect(await world.engine.read('planner-chat')).toBeUndefined()
    log.add('Now it is there.\n')
    await duty.changed([log.name])
    await settle(world, duty)
    expect(world.models.requests).toHaveLength(0)
    expect(entriesOf(log.text())).toHaveLength(1)
  })

  it('has its failure reported by each daemon, until a person writes again', async () => {
    const { home } = temporaryHome()
    const log = logFile(home, 'planner')
    log.write(head + question)
    const gone = { planner: [fail('the server is gone')] }
    const first = await createWorld({ home, agents: ['planner'], lanes: gone })
    const failing = createChatLogDuty(first.context)
    await failing.start()
    await settle(first, failing)
    const [problem] = first.problems()
    expect(problem?.message).toMatch(/ended \(error\) without an answer: .*the server is gone/)
    await first.stop()
    const second = await createWorld({ home, lanes: { planner: [say('Yes.'), say('Yes.')] } })
    const duty = createChatLogDuty(second.context)
    await duty.start()
    await settle(second, duty)
    expect(second.problems()).toEqual([problem])
    log.add('\n### 2025-10-04 10:00:30 | user\n\nAnd now?\n')
    await duty.changed([log.name])
    await settle(second, duty)
    expect(entriesOf(log.text()).at(-1)).toEqual(['assistant', 'Yes.'])
    expect(second.problems()).toEqual([])
  })

  it('reports its problems without affecting other logs', async () => {
    const { home } = temporaryHome()
    const failing = logFile(home, 'planner')
    failing.write(head + question)
    logFile(home, 'agent').write('---\nname: x\n---\nText\n')
    logFile(home, 'notes').write('Just notes.\n')
    logFile(home, 'nobody').write(`# Agent: nobody\n## Conversation\n${question}`)
    logFile(home, 'a:b').write(head + question)
    logFile(home, 'taken').write(head + question)
    mkdirSync(home.at('sessions'))
    writeFileSync(
      home.at('sessions', 'taken-chat.session.yaml'),
      'agent_id: other\nstatus: completed\nmessages: []\n',
    )
    writeFileSync(home.at('outside'), head + question)
    symlinkSync(home.at('outside'), home.at('agents', 'link.agent.md'))
    const fine = logFile(home, 'poet')
    fine.write(head.replace('planner', 'poet') + question)
    const lanes = { planner: [fail('the server is gone')], poet: [say('Roses.')] }
    const world = await createWorld({ home, agents: ['planner', 'poet'], lanes })
    const duty = createChatLogDuty(world.context)
    await duty.start()
    await settle(world, duty)
    expect(entriesOf(fine.text()).at(-1)).toEqual(['assistant', 'Roses.'])
    expect(failing.text()).toBe(head + question)
    const found = Object.fromEntries(world.problems().map(({ file, message }) => [file, message]))
    expect(found).toEqual({
      'agents/planner.agent.md': expect.stringMatching(/ended \(error\) without an answer/),
      'agents/notes.agent.md': expect.stringMatching(/not a chat log/),
      'agents/nobody.agent.md': expect.stringMatching(/there is no agent "nobody"/),
      'agents/a:b.agent.md': expect.stringMatching(/not a valid session name/),
      'agents/taken.agent.md': expect.stringMatching(/does not belong to this chat log/),
      'agents/link.agent.md': expect.stringMatching(/regular file/),
    })
  })
})

describe('an answer in a log', () => {
  const piece = fc.constantFrom(
    'Text.\n',
    '\n',
    '### 2025-10-04 10:00:00 | user\n',
    '### 2025-10-04 10:00:01 | user\nAgain\n',
    '### 2025-10-04 10:00:02 | assistant\nReply\n',
    '\\### 2025-10-04 10:00:03 | user\n',
    '\xff\xfe broken \xc3\n',
    'no end',
  )

  it('is inserted completely, changes no other byte, and leaves undelivered messages unanswered', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(4), fc.boolean(), (pieces, count, crlf) => {
        const plain = `# Agent: a\n\n## Conversation\n\n${pieces.join('')}`
        const raw = crlf ? plain.replaceAll('\n', '\r\n') : plain
        const read = readChatLog(raw)
        if (read.kind !== 'log') throw new Error(read.reason)
        const pending = pendingMessages('a', read.placed)
        const heard = new Set(pending.slice(0, count).map(({ id }) => id))
        const answer = [{ time: '2025-10-04 11:00:00', role: 'assistant' as const, content: 'Answer' }]
        const made = insertAnswer(raw, { log: 'a', answeredIds: heard, answer })
        if (heard.size === 0) {
          expect(made).toBeUndefined()
          return
        }
        const at = pending[heard.size - 1]?.placed.end ?? 0
        expect(made?.startsWith(raw.slice(0, at))).toBe(true)
        expect(made?.endsWith(raw.slice(at))).toBe(true)
        const now = readChatLog(made ?? '')
        if (now.kind !== 'log') throw new Error(now.reason)
        expect(now.log.entries).toHaveLength(read.log.entries.length + 1)
        expect(pendingMessages('a', now.placed).map(({ id }) => id)).toEqual(
          pending.slice(heard.size).map(({ id }) => id),
        )
        expect(insertAnswer(made, { log: 'a', answeredIds: heard, answer })).toBeUndefined()
      }),
    )
  })
})
