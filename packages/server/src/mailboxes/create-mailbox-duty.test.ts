import { existsSync, rmSync } from 'node:fs'
import type { Controls } from '@cadre/core'
import { type Home, openMailboxes } from '@cadre/home'
import { type Line, say, scriptedModels } from '@cadre/testing'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { template, temporaryHome, until } from '../daemon/daemon.spec-helpers.ts'
import {
  linesIn,
  messagesBySession,
  openTestDaemon,
  type TestDaemon,
  writeFileIn,
} from '../daemon/test-daemon.spec-helpers.ts'
import { createMailboxDuty } from './create-mailbox-duty.ts'

let home: Home
let life: TestDaemon
beforeEach(() => {
  home = temporaryHome().home
  for (const name of ['planner', 'retriever']) template(home, name)
})

const post = (id: string, text: string, more = {}, own = home) =>
  openMailboxes(own).post({
    id,
    at: 't',
    from: 'planner',
    session: 'planner-1',
    to: 'retriever',
    text,
    depth: 1,
    ...more,
  })

const busy: readonly Line[] = ['hang']
const quick: readonly Line[] = Array(10).fill(say('seen'))

/** Creates a daemon whose sessions reply with these lines. */
const born = (lines: readonly Line[], more: { before?: (session: string) => void } = {}) =>
  openTestDaemon({ home, models: scriptedModels({ planner: lines, retriever: lines }), ...more })

/** Delivers messages with a daemon whose sessions reply with these lines. */
async function live(lines: readonly Line[], more: { before?: (session: string) => void } = {}) {
  life = await born(lines, more)
  const duty = createMailboxDuty(life.context)
  await duty.start()
  return { duty, notes: life.notes, problems: () => life.context.problems.list() }
}
/** Creates a session of the planner before any message. */
async function begin(id: string, controls?: Controls): Promise<void> {
  const { sessions } = life.context
  await sessions.start({ id, agent: 'planner', work: { content: 'go' }, ...(controls && { controls }) })
  await until(() => life.engine.read(id))
}
/** Waits for this many messages of a session, without its first one. */
const told = (session: string, count: number) =>
  until(async () => {
    const heard = (await messagesBySession(life.engine))
      .get(session)
      ?.filter(({ message }) => message !== undefined)
    return heard?.length === count && heard
  })
const sessions = async () => [...(await messagesBySession(life.engine)).keys()]
const receipts = () => linesIn(home, 'mailboxes/retriever.receipts.jsonl')
const lastSession = () => String(receipts().at(-1)?.['delivered_to'])

describe('mailboxes', () => {
  it('start a session with a message, send it the next, and start another when it has ended', async () => {
    await post('1', 'where is it?', { summary: 'the port' })
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { duty, notes } = await live([() => held.then(() => say('seen')), say('seen')])
    const session = lastSession()
    expect(session).toMatch(/^retriever-[0-9a-f]{12}$/)
    expect(await told(session, 1)).toMatchObject([
      {
        from: 'planner',
        content: expect.stringMatching(
          /^Message from planner \(session planner-1\) about "the port":\n\nwhere is it\?\n\nTo answer, use send_message with to: "planner-1"/,
        ),
      },
    ])
    await post('2', 'and this?')
    await duty.changed(['mailboxes/retriever.jsonl', 'mailboxes/retriever.receipts.jsonl'])
    letGo()
    await life.rest()
    expect(await told(session, 2)).toHaveLength(2)
    await post('3', 'later')
    await duty.changed(['mailboxes/retriever.jsonl'])
    await life.rest()
    expect(await sessions()).toHaveLength(2)
    expect(lastSession()).not.toBe(session)
    expect(await told(lastSession(), 1)).toMatchObject([{ message: 'mail/retriever/3' }])
    expect(receipts()).toMatchObject([
      { id: '1', delivered_to: session, began: true },
      { id: '2', delivered_to: session },
      { id: '3', delivered_to: lastSession(), began: true },
    ])
    expect(notes.map(({ type }) => type)).toEqual(Array(3).fill('message.delivered'))
  })

  it('deliver a message to the session that it names', async () => {
    life = await born(quick)
    await begin('planner-1')
    await life.rest()
    await life.stop()
    await post('1', 'here', {
      to: 'planner',
      toSession: 'planner-1',
      from: 'retriever',
      session: 'retriever-9',
    })
    await live(quick)
    await life.rest()
    await life.stop()
    await live(quick)
    await life.rest()
    expect(await told('planner-1', 1)).toMatchObject([{ message: 'mail/planner/1' }])
    expect(await sessions()).toEqual(['planner-1'])
  })

  it('do not let a sender bypass its controls', async () => {
    const { duty } = await live(busy)
    await begin('planner-1', { deniedTools: ['execute_command'], approvalRequired: true })
    await begin('planner-2')
    const next = async (id: string, more: object) => {
      await post(id, id, more)
      await duty.changed(['mailboxes/retriever.jsonl'])
      return lastSession()
    }
    const controlsOf = async (session: string) => (await life.engine.read(session))?.spec.controls
    const free = await next('1', { session: 'planner-2' })
    await told(free, 1)
    expect(await controlsOf(free)).toBeUndefined()
    // The earlier session has fewer controls, so it does not receive the message, even by name.
    const bound = await next('2', { session: 'planner-1' })
    expect(bound).not.toBe(free)
    await told(bound, 1)
    expect(await controlsOf(bound)).toEqual({ deniedTools: ['execute_command'], approvalRequired: true })
    await next('3', { session: 'planner-1', toSession: free })
    expect(receipts().at(-1)).toMatchObject({
      id: '3',
      undeliverable: expect.stringContaining('different restrictions'),
    })
    expect(await life.keeper.delivery('planner-1', 'returned/mail/retriever/3')).toBe('queued')
    expect(await life.keeper.delivery(free, 'mail/retriever/3')).toBe('unknown')
    // A session with more controls can receive messages from all.
    expect(await next('4', { session: 'planner-2' })).toBe(bound)
    expect(await next('5', { session: 'planner-1' })).toBe(bound)
  })

  it.each<Controls>([{ readOnly: true }, { approvalRequired: true }, { deniedTools: ['write_file'] }])(
    'do not reach a session without the controls of whoever wrote: %j',
    async (controls) => {
      const { duty } = await live(busy)
      await begin('planner-1', controls)
      await begin('planner-2')
      await post('1', 'do it', { toSession: 'planner-2' })
      await duty.changed(['mailboxes/retriever.jsonl'])
      expect(receipts()).toMatchObject([
        { id: '1', undeliverable: expect.stringContaining('different restrictions') },
      ])
      expect(await life.keeper.delivery('planner-2', 'mail/retriever/1')).toBe('unknown')
    },
  )

  it('reach the session that they started before a crash, whichever sessions are running', async () => {
    await post('1', 'x')
    await live(quick)
    await life.rest()
    const first = lastSession()
    await post('2', 'y')
    const now = () => {
      throw new Error('killed')
    }
    await createMailboxDuty({ ...life.context, clock: { ...life.context.clock, now } }).start()
    await life.rest()
    const second = (await sessions()).find((session) => session !== first) ?? ''
    expect(await life.keeper.delivery(second, 'mail/retriever/2')).toBe('delivered')
    await life.kill()
    life = await born(['hang', 'hang', 'hang'])
    await life.keeper.tell(first, { content: 'go on', message: 'person/1' })
    await told(first, 2)
    await createMailboxDuty(life.context).start()
    expect(lastSession()).toBe(second)
    expect(await life.keeper.delivery(first, 'mail/retriever/2')).toBe('unknown')
  })

  it('start no session for a message that a session had received before a crash', async () => {
    await post('1', 'x')
    let letGo = () => {}
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await live([() => held.then(() => say('seen')), say('seen')])
    const first = lastSession()
    await told(first, 1)
    await post('2', 'y')
    const now = () => {
      throw new Error('killed')
    }
    await createMailboxDuty({ ...life.context, clock: { ...life.context.clock, now } }).start()
    letGo()
    await life.rest()
    await told(first, 2)
    expect(receipts()).toHaveLength(1)
    await life.kill()
    await live(quick)
    await life.rest()
    expect(await sessions()).toEqual([first])
    expect(receipts()).toMatchObject([{ id: '1' }, { id: '2', delivered_to: first }])
  })

  it('notify the sender if no receiver is found', async () => {
    life = await born(quick)
    await begin('planner-1')
    await life.rest()
    await life.stop()
    await post('1', 'x')
    await post('2', 'y', { toSession: 'retriever-gone' })
    rmSync(home.at('templates/retriever.agent.yaml'))
    const { notes } = await live(quick)
    await life.rest()
    expect(notes.map(({ type }) => type)).toEqual(['message.returned', 'message.returned'])
    await life.stop()
    await live(quick)
    await life.rest()
    expect((await told('planner-1', 2)).map(({ content }) => content)).toEqual([
      'Cadre could not deliver your message to retriever: agent retriever no longer exists. Your message:\n\nx',
      'Cadre could not deliver your message to retriever-gone: that session no longer exists. Your message:\n\ny',
    ])
    expect(receipts()).toMatchObject([{ id: '1', undeliverable: expect.any(String) }, { id: '2' }])
  })

  it('accept a person’s message', async () => {
    writeFileIn(home, 'mailboxes/retriever.jsonl', 'garbage\n{"note":"no text"}\n{"text":"look again"}\n')
    await live(quick)
    await life.rest()
    expect(lastSession()).toMatch(/^retriever-\w+$/)
    expect(await told(lastSession(), 1)).toMatchObject([
      { content: expect.stringMatching(/^Message from a person:\n/) },
    ])
    expect(receipts()).toHaveLength(1)
  })

  it('wait if delivery is not possible now, without delaying others', async () => {
    await post('1', 'x')
    await post('2', 'y', { to: 'planner' })
    let isBroken = true
    const { duty, problems } = await live(quick, {
      before(session) {
        if (isBroken && session.startsWith('retriever')) throw new Error('the model is away.')
      },
    })
    await life.rest()
    expect(problems()).toMatchObject([
      { file: 'mailboxes/retriever.jsonl', line: 1, message: expect.stringContaining('the model is away') },
    ])
    expect(await sessions()).toEqual([expect.stringMatching(/^planner-/)])
    isBroken = false
    await duty.tick?.(Date.now())
    await life.rest()
    expect(await sessions()).toHaveLength(2)
    expect(problems()).toEqual([])
  })

  it('do not deliver a session its own message', async () => {
    await post('1', 'x')
    const { duty } = await live(busy)
    const session = lastSession()
    await told(session, 1)
    await post('2', 'to my own kind', { from: 'retriever', session, depth: 2 })
    await duty.changed(['mailboxes/retriever.jsonl'])
    expect(lastSession()).not.toBe(session)
    expect(await told(lastSession(), 1)).toMatchObject([{ message: 'mail/retriever/2' }])
    expect(await life.keeper.delivery(session, 'mail/retriever/2')).toBe('unknown')
  })
})

// Takes seconds.
it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
  'deliver each message once if the daemon is killed at any point',
  async () => {
    const step = fc.record({
      messages: fc.nat(3),
      crashAt: fc.option(fc.nat(3)),
      late: fc.boolean(),
      ends: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        home = temporaryHome().home
        template(home, 'retriever')
        let count = 0
        for (const { messages, crashAt, late, ends } of [
          ...steps,
          { messages: 0, crashAt: null, late: false, ends: true },
        ]) {
          for (let at = 0; at < messages; at++) await post(`m${count}`, `text ${count++}`)
          let calls = 0
          const crash = () => {
            if (crashAt !== null && calls++ >= crashAt) throw new Error('killed')
          }
          life = await born(ends ? Array(30).fill(say('seen')) : busy, late ? {} : { before: crash })
          // Between delivery and receipt.
          const now = () => {
            if (late) crash()
            return 0
          }
          const { context } = life
          await createMailboxDuty({ ...context, clock: { ...context.clock, now } }).start()
          if (ends) await life.rest()
          await life.kill()
        }
        const heard = [...(await messagesBySession((await born(quick)).engine)).values()].flat()
        expect(heard.map(({ message }) => message).toSorted()).toEqual(
          Array.from({ length: count }, (_, at) => `mail/retriever/m${at}`).toSorted(),
        )
        const place = 'mailboxes/retriever.receipts.jsonl'
        expect(existsSync(home.at(place)) ? linesIn(home, place).length : 0).toBe(count)
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 60 : 10 },
    )
  },
)
