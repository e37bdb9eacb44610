import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createWorld, runIn } from './support/host.ts'

test('delegates work and returns the report of the run', async () => {
  const world = createWorld({ assistant: [{ reply: 'All tests pass.' }] })
  const host = await world.connect()
  const text = await host.call('delegate_work', { work: 'Run the tests' })
  expect(text).toContain('(assistant): completed.')
  expect(text).toContain('All tests pass.')
  const id = runIn(text)
  expect(await host.call('get_result', { run: id })).toContain('All tests pass.')
  expect(await host.call('list_runs')).toContain(
    `- ${id}: completed · assistant · delegated by test-host · Run the tests`,
  )
})

test('another server finds the result later', async () => {
  const world = createWorld({ assistant: [{ reply: 'Done later.' }] })
  const first = await world.connect()
  const id = runIn(await first.call('delegate_work', { work: 'x', wait_seconds: 0 }))
  await first.kill()
  await world.idle()
  const second = await world.connect({ name: 'other-host' })
  expect(await second.call('wait_for_run', { run: id })).toContain('Done later.')
})

test('progress names the agents that work now and their tools, as soon as they change', async () => {
  const command = { calls: [{ tool: 'execute_command', input: { command: 'cat pipe' } }] }
  const lanes = {
    assistant: [
      { calls: [{ tool: 'delegate_task', input: { agent: 'helper', task: 'help' } }] },
      { reply: 'I wait for the helper.' },
      { reply: 'All done.' },
    ],
    helper: [command, { reply: 'helped' }],
  }
  const world = createWorld(lanes, {
    '.github/agents/helper.agent.md': '---\nname: helper\ndescription: x\nisolation: shared\n---\nHelp.\n',
    '.cadre/config.yaml': {},
  })
  world.write('user/.config/cadre/policy.yaml', { effects: { execute: 'allow' } })
  const pipe = world.at('project/pipe')
  execFileSync('mkfifo', [pipe])
  const host = await world.connect()
  const run = runIn(await host.call('delegate_work', { work: 'x', agent: 'assistant', wait_seconds: 0 }))
  const news: string[] = []
  const onprogress = ({ message = '' }) => {
    news.push(message)
    // The command ends when it has read something. It may not have opened the pipe yet; the next message follows in a second.
    if (message.includes('helper: execute_command')) writeFileSync(pipe, 'go', { flag: 'r+' })
  }
  let answer = ''
  while (!answer.includes('All done.')) answer = await host.call('wait_for_run', { run }, { onprogress })
  expect(news).toContain('assistant: waiting for 1 agent; helper: execute_command (round 1)')
})
