import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createWorld, type Host, runIn, type World } from './support/host.ts'

const content = `start ${'x'.repeat(3000)} end`
const lanes = {
  assistant: [
    { calls: [{ tool: 'write_file', input: { path: 'out.txt', content } }] },
    { reply: 'The end.' },
  ],
}
const forms = { capabilities: { elicitation: { form: {} } } }

async function connect(world: World, era: 'legacy' | 'auto', answer: object) {
  const host = await world.connect({ client: { ...forms, versionNegotiation: { mode: era } } })
  const shown: string[] = []
  host.client.setRequestHandler('elicitation/create', ({ params }) => {
    shown.push(params.message)
    return answer as never
  })
  return { host, shown }
}

async function start(host: Host) {
  const text = await host.call('delegate_work', { work: 'x' })
  return { id: runIn(text), text }
}

function permit(world: World): void {
  world.write('user/.config/cadre/config.yaml', { mcp: { ask: ['test-host'] } })
}

test.each(['legacy', 'auto'] as const)(
  'shows the whole action as a form and takes the decision (%s)',
  async (era) => {
    const world = createWorld(lanes)
    permit(world)
    const { host, shown } = await connect(world, era, {
      action: 'accept',
      content: { decision: 'approve', reason: 'fine' },
    })
    const { id, text } = await start(host)
    expect(text).toContain('It shows the action to the person')
    expect(await host.call('wait_for_run', { run: id })).toContain('The end.')
    expect(shown).toHaveLength(1)
    expect(shown[0]).toContain(content)
    expect(readFileSync(world.at('project/out.txt'), 'utf8')).toBe(content)
    const journal = readFileSync(world.at('project/.cadre/sessions', `${id}.session.yaml`), 'utf8')
    expect(journal).toContain('tester, through test-host (MCP)')
  },
)

test.each([
  ['declines', { action: 'decline' }],
  ['closes the form', { action: 'cancel' }],
  ['answers without a decision', { action: 'accept', content: { reason: 'x' } }],
])('leaves the approval pending if the user %s', async (_, answer) => {
  const world = createWorld(lanes)
  permit(world)
  const { host, shown } = await connect(world, 'legacy', answer)
  const { id } = await start(host)
  expect(await host.call('wait_for_run', { run: id })).toContain('ask them to decide in a terminal')
  expect(shown).toHaveLength(1)
  expect(existsSync(world.at('project/out.txt'))).toBe(false)
})

test('shows no form without the permission of the user, or to a client that cannot show it', async () => {
  const world = createWorld(lanes)
  const { host, shown } = await connect(world, 'legacy', {
    action: 'accept',
    content: { decision: 'approve' },
  })
  const { id } = await start(host)
  expect(await host.call('wait_for_run', { run: id })).toContain('waiting for a decision')
  permit(world)
  const other = await world.connect()
  expect(await other.call('wait_for_run', { run: id })).toContain('waiting for a decision')
  expect(shown).toEqual([])
  expect(existsSync(world.at('project/out.txt'))).toBe(false)
})
