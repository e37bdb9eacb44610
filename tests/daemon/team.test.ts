import { appendFileSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { isDeep, sampled } from '../support/amount.ts'
import { agent, startDaemon, statusOf } from './machine.ts'

const test = sampled(2)
const limit = { timeout: 300_000 }
const mate = (name: string, agentType: string) => ({ name, agentType, initialPrompt: 'Begin.' })
const send = (to: string, text: string) => ({ calls: [{ tool: 'send_message', input: { to, text } }] })

/** `hold` waits for a file `go`; it records each start. */
const files = {
  ...agent('lead'),
  ...agent('helper'),
  '.cadre/config.yaml': { tools: ['../hold.mjs'] },
  '.cadre/inbox/routes.yaml': { routes: [{ from: 'chat', to: 'lead', conversation: '{thread}' }] },
  'hold.mjs': `import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
const common = { parameters: { type: 'object' }, input: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } } }
export const hold = {
  ...common, name: 'hold', description: 'Waits', class: 'read', effect: 'read',
  async run(input, context, signal) {
    // Teammates that can write work in folders of their own.
    appendFileSync(import.meta.dirname + '/held.txt', 'x')
    while (!existsSync(import.meta.dirname + '/go') && !signal.aborted) await pause(20)
    return { content: 'let go' }
  },
}
export const deploy = {
  ...common, name: 'deploy', description: 'x', class: 'web', effect: 'outbound',
  run: async () => ({ content: 'it is live' }),
}
`,
  'playbook.yaml': {
    lanes: {
      lead: {
        default: {
          choose: [
            {
              when: { last: 'begin' },
              calls: [
                {
                  tool: 'create_team',
                  input: { name: 'ops', members: [mate('ann', 'helper'), mate('ben', 'helper')] },
                },
              ],
            },
            { when: { last: 'ask ann' }, ...send('ann', 'What now?') },
            { when: { last: 'Nothing more' }, reply: 'ann says: nothing more' },
            { when: { last: 'Your teammates are idle' }, reply: 'all is done' },
            { reply: 'waiting' },
          ],
        },
      },
      helper: {
        sessions: [
          {
            when: 'You are ann',
            steps: [{ calls: [{ tool: 'hold', input: {} }] }],
            default: {
              choose: [
                { when: { last: 'let go' }, ...send('ben', 'Your turn.') },
                { when: { last: 'What now?' }, ...send('lead', 'Nothing more.') },
                { reply: 'ann rests' },
              ],
            },
          },
          {
            default: {
              choose: [
                { when: { last: 'Your turn' }, ...send('lead', 'We are through.') },
                { reply: 'ben rests' },
              ],
            },
          },
        ],
      },
    },
  },
}

const say = (project: Project, id: string, text: string) =>
  appendFileSync(project.at('.cadre/inbox/chat.jsonl'), `${JSON.stringify({ id, thread: 't', text })}\n`)
const held = (project: Project) => (project.exists('held.txt') ? project.read('held.txt').length : 0)
const sessionsOf = (project: Project, name: string) => project.sessions().filter((id) => id.startsWith(name))
const record = (project: Project, id: string) => project.read(`.cadre/sessions/${id}.session.yaml`)
const records = (project: Project, name: string) =>
  sessionsOf(project, name)
    .map((id) => record(project, id))
    .join('\n')
const count = (text: string, what: RegExp) => text.match(what)?.length ?? 0

async function started() {
  const project = createProject(files)
  const daemon = await startDaemon(project)
  say(project, 'one', 'begin')
  await until(() => held(project) === 1)
  return { project, daemon }
}

test('a team is restored after the daemon was killed, and wakes in a later turn', limit, async () => {
  const { project, daemon } = await started()
  daemon.signal('SIGKILL')
  await daemon.ended()
  const next = await startDaemon(project)
  await until(() => held(project) === 2)
  project.write('go', '')
  await until(() => records(project, 'lead').includes('all is done'))
  expect(sessionsOf(project, 'helper')).toHaveLength(2)
  expect(count(records(project, 'helper'), /message: team\/ops\/ben\//g)).toBe(1)
  expect(count(records(project, 'lead'), /message: team\/ops\/lead\//g)).toBe(1)
  await until(async () => (await statusOf(project)).sessions.running.length === 0)
  expect(await next.stop()).toBe(0)
  // For an idle team, nothing runs and nothing is restarted.
  const third = await startDaemon(project)
  expect((await statusOf(project)).sessions.running).toEqual([])
  say(project, 'two', 'ask ann')
  await until(() => records(project, 'lead').includes('ann says: nothing more'))
  expect(sessionsOf(project, 'helper')).toHaveLength(2)
  expect(count(records(project, 'helper'), /message: team\/ops\/ann\//g)).toBe(1)
  await until(async () => (await statusOf(project)).sessions.running.length === 0)
  expect((await statusOf(project)).problems).toEqual([])
  expect(readdirSync(project.at('.cadre/storage/requests/queued'))).toEqual([])
  expect(await third.stop()).toBe(0)
})

test('cancelling the lead stops its teammates permanently', limit, async () => {
  const { project, daemon } = await started()
  const [lead = ''] = sessionsOf(project, 'lead')
  expect((await project.cadre(['sessions', 'cancel', lead])).code).toBe(0)
  await until(() => records(project, 'helper').includes('outcome: cancelled'))
  await until(async () => (await statusOf(project)).sessions.running.length === 0)
  expect(record(project, lead)).toContain('outcome: cancelled')
  expect(await daemon.stop()).toBe(0)
  const next = await startDaemon(project)
  expect((await statusOf(project)).sessions.running).toEqual([])
  expect(held(project)).toBe(1)
  expect(await next.stop()).toBe(0)
})

test.runIf(isDeep)('the approval of a teammate is decided in a file', limit, async () => {
  const lanes = {
    lead: files['playbook.yaml'].lanes.lead,
    helper: {
      sessions: [
        {
          when: 'You are ann',
          steps: [
            { calls: [{ tool: 'deploy', input: {} }] },
            { expect: { last: 'it is live' }, reply: 'ann is live' },
          ],
        },
        { default: { reply: 'ben rests' } },
      ],
    },
  }
  const project = createProject({ ...files, 'playbook.yaml': { lanes } })
  const daemon = await startDaemon(project)
  say(project, 'one', 'begin')
  const form = '.cadre/tasks/approvals.task.md'
  await until(() => project.exists(form) && count(project.read(form), /^- \[_\]/gm) === 1)
  project.write(form, project.read(form).replace('- [_]', '- [x]'))
  await until(() => records(project, 'lead').includes('all is done'))
  expect(records(project, 'helper')).toContain('ann is live')
  expect(await daemon.stop()).toBe(0)
})
