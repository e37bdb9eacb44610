import { existsSync } from 'node:fs'
import { openMailboxes } from '@cadre/home'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestHome } from '../inbox/daemon.spec-helpers.ts'
import { createMailboxDuty } from './create-mailbox-duty.ts'

let test: TestHome
beforeEach(() => {
  test = new TestHome('planner', 'retriever')
})
afterEach(() => test.remove())

const post = (id: string, text: string, more = {}, home = test.home) =>
  openMailboxes(home).post({
    id,
    at: 't',
    from: 'planner',
    session: 'planner-1',
    to: 'retriever',
    text,
    depth: 1,
    ...more,
  })

async function live(own = test) {
  const context = own.context()
  const duty = createMailboxDuty(context)
  await duty.start()
  return { context, duty }
}
const receipts = () => test.lines('mailboxes/retriever.receipts.jsonl')

describe('mailboxes', () => {
  it('begin a session with a message, tell it the next, and begin another when it has ended', async () => {
    await post('1', 'where is it?', { summary: 'the port' })
    const { duty, context } = await live()
    const [[session = '', { heard } = { heard: [] }] = []] = [...test.sessions]
    expect(session).toMatch(/^retriever-[0-9a-f]{12}$/)
    expect(heard[0]).toMatchObject({
      from: 'planner',
      content: expect.stringMatching(
        /^Message from planner \(session planner-1\) about "the port":\n\nwhere is it\?\n\nTo answer, use send_message with to: "planner-1"/,
      ),
    })
    await post('2', 'and this?')
    await duty.changed(['mailboxes/retriever.jsonl', 'mailboxes/retriever.receipts.jsonl'])
    expect(heard).toHaveLength(2)
    const known = test.sessions.get(session)
    if (known) known.state = { kind: 'ended', outcome: 'completed', text: '' }
    await post('3', 'later')
    await duty.changed(['mailboxes/retriever.jsonl'])
    expect(test.sessions.size).toBe(2)
    expect(receipts()).toMatchObject([
      { id: '1', delivered_to: session, began: true },
      { id: '2', delivered_to: session },
      { id: '3', delivered_to: [...test.sessions.keys()][1], began: true },
    ])
    expect(context.noted.map(({ type }) => type)).toEqual(Array(3).fill('message.delivered'))
  })

  it('bring a message to the one session it is for', async () => {
    test.sessions.set('planner-1', {
      agent: 'planner',
      heard: [],
      state: { kind: 'ended', outcome: 'completed', text: '' },
    })
    await post('1', 'here', {
      to: 'planner',
      toSession: 'planner-1',
      from: 'retriever',
      session: 'retriever-9',
    })
    await live()
    await live()
    expect(test.sessions.get('planner-1')?.heard).toHaveLength(1)
    expect(test.sessions.size).toBe(1)
  })

  it('have nobody do what whoever wrote may not do', async () => {
    const state = { kind: 'running' } as const
    test.sessions.set('planner-1', {
      agent: 'planner',
      heard: [],
      state,
      controls: { deniedTools: ['execute_command'], approvalRequired: true },
    })
    test.sessions.set('planner-2', { agent: 'planner', heard: [], state })
    const { duty } = await live()
    const next = async (id: string, more: object) => {
      await post(id, id, more)
      await duty.changed(['mailboxes/retriever.jsonl'])
      return test.sessions.get(String(receipts().at(-1)?.['delivered_to']))
    }
    const free = await next('1', { session: 'planner-2' })
    expect(free?.controls).toBeUndefined()
    // The session of before is there, and may do more: it is not told, by whichever name.
    const bound = await next('2', { session: 'planner-1' })
    expect(bound?.controls).toEqual({ deniedTools: ['execute_command'], approvalRequired: true })
    const [freeId = ''] = [...test.sessions].find(([, session]) => session === free) ?? []
    await next('3', { session: 'planner-1', toSession: freeId })
    expect(receipts().at(-1)).toMatchObject({ id: '3', undeliverable: expect.stringContaining('controls') })
    expect(test.sessions.get('planner-1')?.heard[0]?.content).toContain('could not be delivered')
    expect(free?.heard).toHaveLength(1)
    // What may do less can be told by everybody.
    expect(await next('4', { session: 'planner-2' })).toBe(bound)
    expect(await next('5', { session: 'planner-1' })).toBe(bound)
  })

  it('tell whoever wrote it when nobody can be found', async () => {
    test.sessions.set('planner-1', { agent: 'planner', heard: [], state: { kind: 'running' } })
    await post('1', 'x')
    await post('2', 'y', { toSession: 'retriever-gone' })
    test.agents.splice(1)
    const { context } = await live()
    await live()
    expect(test.sessions.get('planner-1')?.heard.map(({ content }) => content)).toEqual([
      'Your message to retriever could not be delivered: there is no agent named retriever any more. It said:\n\nx',
      'Your message to retriever-gone could not be delivered: there is no such session any more. It said:\n\ny',
    ])
    expect(receipts()).toMatchObject([{ id: '1', undeliverable: expect.any(String) }, { id: '2' }])
    expect(context.noted.map(({ type }) => type)).toEqual(['message.returned', 'message.returned'])
  })

  it('take what a person leaves there', async () => {
    test.write('mailboxes/retriever.jsonl', 'garbage\n{"note":"no text"}\n{"text":"look again"}\n')
    await live()
    expect(test.heard()).toEqual([expect.stringMatching(/^retriever-\w+: Message from a person:$/)])
    expect(receipts()).toHaveLength(1)
  })

  it('wait when it cannot be done now, without holding up others', async () => {
    await post('1', 'x')
    await post('2', 'y', { to: 'planner' })
    let isBroken = true
    test.before = (_, session) => {
      if (isBroken && session.startsWith('retriever')) throw new Error('the model is away.')
    }
    const { duty, context } = await live()
    expect(context.problems.list()).toMatchObject([
      { file: 'mailboxes/retriever.jsonl', line: 1, message: expect.stringContaining('the model is away') },
    ])
    expect(test.sessions.size).toBe(1)
    isBroken = false
    await duty.tick?.(Date.now())
    expect(test.sessions.size).toBe(2)
    expect(context.problems.list()).toEqual([])
  })

  it('do not bring a session its own message', async () => {
    await post('1', 'x')
    const { duty } = await live()
    const [session = ''] = [...test.sessions.keys()]
    await post('2', 'to my own kind', { from: 'retriever', session, depth: 2 })
    await duty.changed(['mailboxes/retriever.jsonl'])
    expect([...test.sessions.values()].map(({ heard }) => heard.length)).toEqual([1, 1])
  })
})

it('deliver each message once, whenever the daemon is killed', async () => {
  const step = fc.record({
    messages: fc.nat(3),
    crashAt: fc.option(fc.nat(3)),
    late: fc.boolean(),
    ends: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const own = new TestHome('retriever')
      try {
        let count = 0
        for (const { messages, crashAt, late, ends } of [
          ...steps,
          { messages: 0, crashAt: null, late: false, ends: false },
        ]) {
          for (let at = 0; at < messages; at++) await post(`m${count}`, `text ${count++}`, {}, own.home)
          let calls = 0
          own.before = () => {
            if (!late && crashAt !== null && calls++ >= crashAt) throw new Error('killed')
          }
          // Behind what a session is told and before the receipt.
          const context = own.context()
          const clock = {
            ...context.clock,
            now: () => {
              if (late && crashAt !== null && calls++ >= crashAt) throw new Error('killed')
              return 0
            },
          }
          await createMailboxDuty({ ...context, clock }).start()
          if (ends)
            for (const known of own.sessions.values())
              known.state = { kind: 'ended', outcome: 'completed', text: '' }
        }
        const heard = [...own.sessions.values()].flatMap((session) =>
          session.heard.map(({ message }) => message),
        )
        expect(heard.toSorted()).toEqual(
          Array.from({ length: count }, (_, at) => `mail/retriever/m${at}`).toSorted(),
        )
        const place = 'mailboxes/retriever.receipts.jsonl'
        expect(existsSync(own.home.at(place)) ? own.lines(place).length : 0).toBe(count)
      } finally {
        own.remove()
      }
    }),
    { numRuns: 30 },
  )
})
