import { existsSync } from 'node:fs'
import type { Tool } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import type { ProgramCalls } from '../program-calls.ts'
import { FakeSession, fakeAgent } from './fake-agent.spec-helpers.ts'

const asks = `prompted = async () => {
  const { optionId } = await permit({ kind: 'execute', title: 'List', rawInput: { command: 'ls' } })
  say(optionId)
  return done
}`

/** Runs a call as the loop would, after the gate has allowed it. */
async function runCall(calls: ProgramCalls, call: string, input: object) {
  const ran: unknown[] = []
  const tool = {
    name: 'execute_command',
    run: async (given: unknown) => ran.push(given) && { content: 'ran' },
  }
  const guarded = calls.guard(tool as unknown as Tool)
  const context = { session: 'lead-1', agent: 'lead', call, key: `lead-1/${call}`, workspace: '/' }
  const result = await guarded.run(input, context, new AbortController().signal)
  return { ...result, ran }
}

/** `npm test` skips them: each starts a program. */
const inDeep = it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])

describe('an action that a program asks about', () => {
  it('is a call of the reply, and allowed if the gate allows it', async () => {
    const { model, programCalls } = fakeAgent(asks, { control: 'sandbox' })
    const session = new FakeSession(model)
    const reply = await session.reply()
    expect(reply.calls).toMatchObject([
      { function: { name: 'execute_command', arguments: '{"command":"ls"}' } },
    ])
    const result = await runCall(programCalls, reply.calls[0]?.id ?? '', { command: 'ls' })
    expect(result).toEqual({ content: 'Allowed. Fake runs this call itself.', ran: [] })
    session.result(reply, 0, result.content)
    expect((await session.reply()).content).toBe('yes')
  })

  it('is rejected if the gate denies it', async () => {
    const { model } = fakeAgent(asks, { control: 'sandbox' })
    const session = new FakeSession(model)
    const reply = await session.reply()
    // A denied call does not run. The text of its result decides nothing.
    session.result(reply, 0, 'Allowed. Fake runs this call itself.')
    expect((await session.reply()).content).toBe('no')
  })

  inDeep('tells the model why it was denied, even if the program ends its turn', async () => {
    const { model } = fakeAgent(
      `prompted = async (text) => {
        if (text.includes('started earlier')) { say(text); return done }
        await permit({ kind: 'execute', title: 'List', rawInput: { command: 'ls' } })
        return { stopReason: 'cancelled' }
      }`,
      { control: 'sandbox', tries: 2 },
    )
    const session = new FakeSession(model)
    const reply = await session.reply()
    session.result(reply, 0, 'Denied by a rule.')
    expect((await session.reply()).content).toContain('Denied by a rule.')
  })

  it('is rejected if a hook changed its arguments', async () => {
    const { model, programCalls } = fakeAgent(asks, { control: 'sandbox' })
    const session = new FakeSession(model)
    const reply = await session.reply()
    const result = await runCall(programCalls, reply.calls[0]?.id ?? '', { command: 'ls', cwd: 'src' })
    expect(result).toMatchObject({ failed: true, ran: [] })
    session.result(reply, 0, result.content)
    expect((await session.reply()).content).toBe('no')
  })

  inDeep('has its normal effect after a restart, because the program is gone', async () => {
    const { model, programCalls } = fakeAgent(asks, { control: 'sandbox' })
    const reply = await new FakeSession(model).reply()
    model.release?.('lead-1')
    await model.end()
    const result = await runCall(programCalls, reply.calls[0]?.id ?? '', { command: 'ls' })
    expect(result).toEqual({ content: 'ran', ran: [{ command: 'ls' }] })
  })
})

describe('a program with its own tools', () => {
  it('does not start without a sandbox, unless the user accepts it', async () => {
    const refuse = async () => ({ kind: 'refused' as const, reason: 'bubblewrap is not installed' })
    const body = `prompted = async () => { say('ran'); return done }`
    const { model } = fakeAgent(body, { control: 'sandbox', confine: refuse, withoutSandbox: false })
    expect(await new FakeSession(model).failure()).toEqual({
      kind: 'failed',
      code: 'backend',
      message:
        'Fake runs only in a sandbox, because Cadre cannot control all of its tools: bubblewrap is not installed. To run it without a sandbox, set acp.programs."fake".withoutSandbox: true in your own config.yaml.',
      spent: 'nothing',
    })
    const accepted = fakeAgent(body, { control: 'sandbox', confine: refuse, withoutSandbox: true })
    expect((await new FakeSession(accepted.model).reply()).content).toBe('ran')
  })

  it.each([
    [undefined, /may not run any/],
    [{ edits: true, programs: false }, /may not run any/],
    [{ edits: false, programs: true }, /runs only in a sandbox/],
  ])(
    'does not start for an agent with the permits %j, even if the user accepts it',
    async (permits, expected) => {
      const { model, file } = fakeAgent(`writeFileSync(file, '')`, {
        control: 'sandbox',
        withoutSandbox: true,
      })
      const session = new FakeSession(model, { permits } as never)
      expect((await session.failure()).message).toMatch(expected)
      expect(existsSync(file)).toBe(false)
    },
  )

  it('is started as the sandbox says', async () => {
    const { model } = fakeAgent(
      `prompted = async () => { say(process.env.INSIDE + ' ' + mcp.name); return done }`,
      {
        control: 'sandbox',
        withoutSandbox: false,
        confine: async ({ workspace: _, folder: __, readOnly: ___, ...start }) => ({
          kind: 'start',
          ...start,
          env: { ...start.env, INSIDE: 'the sandbox' },
        }),
      },
    )
    expect((await new FakeSession(model).reply()).content).toBe('the sandbox cadre')
  })

  inDeep('tells a delegated session what is not controlled, once', async () => {
    const { model } = fakeAgent(`prompted = async () => { say('ok'); return done }`, { control: 'sandbox' })
    const session = new FakeSession(model, { parent: 'lead-0' })
    await session.reply()
    session.say('More.')
    await session.reply()
    expect(session.notices).toEqual([expect.stringMatching(/^acp_uncontrolled: Fake keeps its own tools\./)])
  })
})
