import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentDefinition, ToolContext } from '@cadre/core'
import { type Home, openHome, openMailboxes } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sendMessageTool } from './send-message.ts'

let folder: string
let home: Home
let attended: boolean
const signal = new AbortController().signal
const names = ['planner-001', 'retriever-001', 'Code Reviewer']
const agents = names.map(
  (name): AgentDefinition => ({ name, description: '', prompt: '', tools: { kind: 'all' } }),
)

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-messages-'))
  home = openHome({ home: folder, cwd: folder, env: {} })
  attended = true
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const toolNow = () =>
  sendMessageTool(() => ({
    mailboxes: openMailboxes(home),
    agents: {
      get: (name) => agents.find((agent) => agent.name.toLowerCase() === name.toLowerCase()),
      list: () => agents,
    },
    agentOf: async (session) =>
      session === 'retriever-001-s1' ? 'retriever-001' : session === 'planner-s' ? 'planner-001' : undefined,
    attended: () => attended,
    now: () => 0,
  }))
const context = (key: string, session = 'planner-s'): ToolContext => ({
  session,
  agent: 'planner-001',
  call: 'c',
  key,
  workspace: folder,
})
const send = (input: object, key = 'k1', session?: string) =>
  toolNow().run(input, context(key, session), signal)
const box = (name: string) =>
  readFileSync(home.at('mailboxes', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('send_message', () => {
  it('puts the message into the mailbox, once per call, and reports it', async () => {
    const first = await send({ to: 'retriever-001', text: 'where is it?', summary: 'the port' })
    expect(JSON.parse(first.content)).toEqual({
      success: true,
      id: 'k1',
      to: 'retriever-001',
      delivered: 'queued',
    })
    await send({ to: 'retriever-001', text: 'where is it?' })
    expect(box('retriever-001')).toEqual([
      {
        id: 'k1',
        at: '1970-01-01T00:00:00.000Z',
        from: 'planner-001',
        session: 'planner-s',
        to: 'retriever-001',
        text: 'where is it?',
        summary: 'the port',
        depth: 1,
      },
    ])
  })

  it('can check whether it was carried out', async () => {
    const input = { to: 'retriever-001', text: 'x' }
    expect(await toolNow().check?.(input, context('k1'), signal)).toBe('not_done')
    await send(input)
    expect(await toolNow().check?.(input, context('k1'), signal)).toBe('done')
    expect(await toolNow().check?.(input, context('k2'), signal)).toBe('not_done')
  })

  it('reaches a session, and an agent whose name is not a valid file name', async () => {
    await send({ to: 'retriever-001-s1', text: 'x' })
    expect(box('retriever-001')).toMatchObject([{ to: 'retriever-001', to_session: 'retriever-001-s1' }])
    await send({ to: 'code reviewer', text: 'x' }, 'k2')
    const [message] = box(
      'code-reviewer-' +
        (await import('node:crypto')).createHash('sha256').update('code reviewer').digest('hex').slice(0, 8),
    )
    expect(message).toMatchObject({ to: 'Code Reviewer' })
  })

  it('suggests the intended recipient', async () => {
    expect(await send({ to: 'retriver-001', text: 'x' })).toEqual({
      failed: true,
      content: 'There is no agent and no session named "retriver-001". Did you mean retriever-001?',
    })
    expect(await send({ to: '../../etc/passwd', text: 'x' })).toMatchObject({ failed: true })
  })

  it('reports that no daemon delivers messages', async () => {
    attended = false
    expect((await send({ to: 'retriever-001', text: 'x' })).content).toContain('cadre up')
  })

  it('does not let a session write to itself, or without limit', async () => {
    expect(await send({ to: 'planner-s', text: 'x' })).toMatchObject({ failed: true })
    for (let at = 0; at < 50; at++)
      expect((await send({ to: 'retriever-001', text: 'x' }, `n${at}`)).failed).toBeUndefined()
    const refused = await send({ to: 'Code Reviewer', text: 'x' }, 'n50')
    expect(refused).toMatchObject({
      failed: true,
      content: expect.stringContaining('reached for this session (50)'),
    })
    // The same call again is the same message, and other sessions are not affected.
    expect((await send({ to: 'retriever-001', text: 'x' }, 'n49')).failed).toBeUndefined()
    expect((await send({ to: 'retriever-001', text: 'x' }, 'n51', 'other')).failed).toBeUndefined()
  })

  it('does not let messages start sessions without limit', async () => {
    const mailboxes = openMailboxes(home)
    const message = { id: 'm', at: '', from: 'a', session: 's7', to: 'planner-001', text: 'x', depth: 8 }
    await mailboxes.post(message)
    await mailboxes.receive(message, { at: '', deliveredTo: 'deep', began: true })
    expect(await send({ to: 'retriever-001', text: 'x' }, 'k', 'deep')).toMatchObject({
      failed: true,
      content: expect.stringContaining('8 sessions'),
    })
  })
})
