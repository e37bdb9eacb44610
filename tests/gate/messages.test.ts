import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Controls } from '@cadre/core'
import { createGuard } from '@cadre/gate'
import { loadPolicy, openHome, openMailboxes } from '@cadre/home'
import { agentsOf, call, createTestTeam, defineAgent, type Line, say } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-messages-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A run behind the whole gate, in which one agent calls `send_message`. */
async function run(line: Line, more: { policy?: string; controls?: Controls; tools?: string[] } = {}) {
  const home = openHome({ home: path.join(folder, '.cadre'), cwd: folder, env: {} })
  const organisation = path.join(folder, 'policy.yaml')
  if (more.policy !== undefined) writeFileSync(organisation, more.policy)
  const agents = [
    defineAgent({ name: 'planner', tools: { kind: 'list', names: more.tools ?? ['send_message'] } }),
    defineAgent({ name: 'retriever' }),
  ]
  const guard = createGuard({
    home,
    userHome: path.join(folder, 'user'),
    folder: { folder, trusted: true },
    trusted: () => true,
    policy: await loadPolicy({ organisation }),
    sandbox: { kind: 'none', reason: 'a test' },
    hooks: { hooks: [], files: [], diagnostics: [] },
    agents: agentsOf(agents),
    environment: {},
    tell: () => {},
  })
  const messages = () => ({
    mailboxes: openMailboxes(home),
    agents: agentsOf(agents),
    agentOf: async () => undefined,
    attended: () => true,
  })
  const workspace = path.join(folder, 'w')
  mkdirSync(workspace, { recursive: true })
  const team = createTestTeam({
    agents,
    lanes: { planner: [line, say('done')] },
    tools: createTools({ places: guard.places, messages }),
    rules: guard.rules,
  })
  const result = await team.run({
    agent: 'planner',
    workspace,
    ...(more.controls && { controls: more.controls }),
  })
  const answer = team.models.requests[1]?.messages.at(-1)
  const box = () => readFileSync(home.at('mailboxes', 'retriever.jsonl'), 'utf8')
  return { result, answer: JSON.stringify(answer ?? {}), box }
}

const hello = call(['send_message', { to: 'retriever', text: 'hello' }])

describe('a message to another agent', () => {
  it('needs no approval', async () => {
    const { result, box, answer } = await run(hello)
    expect(result).toMatchObject({ kind: 'report', report: { status: 'completed' } })
    expect(answer).toContain('queued')
    expect(JSON.parse(box())).toMatchObject({ from: 'planner', to: 'retriever', text: 'hello', depth: 1 })
  })

  it('is accepted with the names of other dialects', async () => {
    const other = call(['SendMessage', { agent_id: 'retriever', content: 'hello' }])
    expect(JSON.parse((await run(other, { tools: ['SendMessage'] })).box())).toMatchObject({ text: 'hello' })
  })

  it('waits for a person if a policy requires it for writing', async () => {
    const { result, box } = await run(hello, { policy: 'effects: {write: ask}\n' })
    expect(result.kind).toBe('waiting')
    expect(box).toThrow()
  })

  it('waits for a person in a session in which everything does', async () => {
    expect((await run(hello, { controls: { approvalRequired: true } })).result.kind).toBe('waiting')
  })

  it.each([
    ['a policy that denies writing', { policy: 'effects: {write: deny}\n' }],
    ['a read-only session', { controls: { readOnly: true } as const }],
    ['a session without the tool', { controls: { deniedTools: ['send_message'] } }],
    ['a session without messages', { controls: { deniedTools: ['message'] } }],
    ['an agent without the tool', { tools: ['read_file'] }],
  ])('is denied by %s', async (_, more) => {
    const { result, box } = await run(hello, more)
    expect(result).toMatchObject({ kind: 'report' })
    expect(box).toThrow()
  })
})
