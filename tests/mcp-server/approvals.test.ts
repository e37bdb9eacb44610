import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openHome } from '../../packages/home/src/index.ts'
import { openEngine } from '../../packages/runtime/src/index.ts'
import { createWorld, runIn, type World } from './support/host.ts'

const long = `first line\n${'x'.repeat(5000)}\nlast line`
const writes = {
  assistant: [
    { calls: [{ tool: 'write_file', input: { path: 'out.txt', content: long } }] },
    { reply: 'Written.' },
  ],
}

function permit(world: World, ...names: string[]): void {
  world.write('user/.config/cadre/config.yaml', { mcp: { decide: names } })
}

async function startWriting(world: World, name = 'test-host') {
  const host = await world.connect({ name })
  const text = await host.call('delegate_work', { work: 'Write out.txt' })
  const approval = /Approval (\S+)/.exec(text)?.[1] ?? ''
  return { host, text, id: runIn(text), approval }
}

/** As a person does in a terminal. */
async function decideByPerson(world: World, id: string, decision: string): Promise<void> {
  const home = openHome({ home: world.at('project', '.cadre'), cwd: world.folder, env: {} })
  const engine = await openEngine(home, () => {}, { env: world.environment.env })
  const record = (await engine.approvals.list()).find((one) => one.id === id)
  if (record === undefined) throw new Error(`no approval ${id}`)
  await engine.approvals.decide(record, { decision }, engine.approvals.voters.here('command'))
  await engine.close()
}

test('shows a pending action completely, and continues when a person has approved it', async () => {
  const world = createWorld(writes)
  const { host, text, id, approval } = await startWriting(world)
  expect(text).toContain('waiting for a decision')
  expect(text).toContain('x'.repeat(5000))
  expect(text).toContain('last line')
  expect(text).toContain(`cadre approve ${approval}`)
  expect(await host.call('list_approvals')).toContain('x'.repeat(5000))
  expect(existsSync(world.at('project/out.txt'))).toBe(false)
  await decideByPerson(world, approval, 'approve')
  expect(await host.call('wait_for_run', { run: id })).toContain('Written.')
  expect(readFileSync(world.at('project/out.txt'), 'utf8')).toBe(long)
  expect(world.launched).toEqual([id, id])
})

test('listing approvals takes no decision, and waiting for the run applies it', async () => {
  const world = createWorld(writes)
  const { host, id, approval } = await startWriting(world)
  const form = world.at('project/.cadre/tasks/approvals.task.md')
  const decided = readFileSync(form, 'utf8').replace('- [_]', '- [x]')
  writeFileSync(form, decided)
  expect(await host.call('list_approvals')).toContain(approval)
  expect(readFileSync(form, 'utf8')).toBe(decided)
  expect(await host.call('wait_for_run', { run: id })).toContain('Written.')
})

test('a host may not decide unless the user has permitted it', async () => {
  const world = createWorld(writes)
  const { host, approval } = await startWriting(world)
  const refused = await host.call('decide_approval', { approval, decision: 'approve' })
  expect(refused).toMatch(/^ERROR: the user has not permitted "test-host" to decide approvals/)
  permit(world, 'other-host')
  expect(await host.call('decide_approval', { approval, decision: 'approve' })).toMatch(/^ERROR: /)
  expect(existsSync(world.at('project/out.txt'))).toBe(false)
})

test('the configuration of a home cannot permit a host to decide', async () => {
  const world = createWorld(writes, { '.cadre/config.yaml': { mcp: { decide: ['*'] } } })
  const { host, approval } = await startWriting(world)
  expect(await host.call('decide_approval', { approval, decision: 'approve' })).toMatch(
    /^ERROR: .*not permitted/,
  )
})

test('a permitted host decides, and the journal names it', async () => {
  const world = createWorld(writes)
  permit(world, 'test-host')
  const { host, text, id, approval } = await startWriting(world)
  expect(text).toContain('call decide_approval')
  const decided = await host.call('decide_approval', {
    approval,
    decision: 'approve',
    reason: 'the user agreed',
  })
  expect(decided).toBe(`Approved ${approval}.\nNext: call wait_for_run with run "${id}".`)
  expect(await host.call('wait_for_run', { run: id })).toContain('Written.')
  expect(readFileSync(world.at('project/.cadre/sessions', `${id}.session.yaml`), 'utf8')).toContain(
    'test-host (MCP)',
  )
  expect(await host.call('decide_approval', { approval, decision: 'reject' })).toMatch(
    /^ERROR: .*already approved/,
  )
})

test('a rejected action is reported to the agent', async () => {
  const world = createWorld(writes)
  permit(world, '*')
  const { host, id, approval } = await startWriting(world)
  await host.call('decide_approval', { approval, decision: 'reject', reason: 'not now' })
  expect(await host.call('wait_for_run', { run: id })).toContain('completed')
  expect(existsSync(world.at('project/out.txt'))).toBe(false)
})

test("a host cannot decide approvals in a person's run, or an action that needs a person", async () => {
  const world = createWorld(writes)
  permit(world, '*')
  const { host, id, approval } = await startWriting(world)
  const record = world.at('project/.cadre/storage/delegations', `${id}.json`)
  const request = readFileSync(record, 'utf8')
  writeFileSync(record, '{}')
  expect(await host.call('decide_approval', { approval, decision: 'approve' })).toMatch(
    /^ERROR: a person started run/,
  )
  expect(await host.call('cancel_run', { run: id })).toMatch(/^ERROR: a person started run/)
  writeFileSync(record, request)
  const journal = world.at('project/.cadre/sessions', `${id}.session.yaml`)
  writeFileSync(
    journal,
    readFileSync(journal, 'utf8').replace('type: call.held\n', 'type: call.held\n    firm: true\n'),
  )
  expect(await host.call('decide_approval', { approval, decision: 'approve' })).toMatch(
    /^ERROR: a rule requires a person's approval/,
  )
  expect(await host.call('decide_approval', { approval: 'approval-1-x', decision: 'approve' })).toMatch(
    /^ERROR: there is no approval/,
  )
})

test('a team brings its permissions only if the user has configured it, also after a resume', async () => {
  const write = (path: string) => ({ calls: [{ tool: 'write_file', input: { path, content: 'x' } }] })
  const lanes = { coordinator: [write('a.txt'), write('b.txt'), { reply: 'done' }] }
  const world = createWorld(lanes)
  permit(world, '*')
  const host = await world.connect()
  const first = await host.call('delegate_work', { work: 'Write', team: 'coordinator/minimal' })
  expect(first).toContain('waiting for a decision')
  const approval = /Approval (\S+)/.exec(first)?.[1] ?? ''
  await host.call('decide_approval', { approval, decision: 'approve' })
  const second = await host.call('wait_for_run', { run: runIn(first) })
  expect(second).toContain('b.txt')
  expect(existsSync(world.at('project/b.txt'))).toBe(false)
  world.write('user/.config/cadre/config.yaml', { team: 'coordinator/minimal' })
  expect(await host.call('delegate_work', { work: 'Write' })).toContain('completed')
})
