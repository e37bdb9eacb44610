/** Teams that an agent creates while it works, through the command. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, deployTool, type Project } from './support/project.ts'

const test = sampled(3)

const guide = readFileSync(
  path.join(fileURLToPath(new URL('../..', import.meta.url)), 'docs/teams.md'),
  'utf8',
)
const record = (project: Project, agent: string) => {
  const name = project.sessions().find((id) => id.startsWith(agent)) ?? ''
  return project.read(`.cadre/sessions/${name}.session.yaml`)
}
const run = ['run', '--json', '--agent', 'lead', '--model', 'scripted:p.yaml']
const mate = (name: string, agentType: string) => ({ name, agentType, initialPrompt: 'Begin.' })
const team = (...members: object[]) => ({
  calls: [{ tool: 'create_team', input: { name: 'release', members } }],
})
const untilIdle = {
  choose: [{ when: { last: 'Your teammates are idle' }, reply: 'The end.' }, { reply: 'Waiting.' }],
}

test('the example in docs/teams.md works as written', async () => {
  const project = createProject()
  const files = [...guide.matchAll(/^`([^`\n]+)`\n\n```\w+\n([\s\S]*?)```/gm)]
  expect(files.map(([, file]) => file)).toEqual([
    '.claude/agents/lead.md',
    '.claude/agents/reviewer.md',
    '.claude/agents/tester.md',
    'playbook.yaml',
  ])
  for (const [, file = '', content = ''] of files) project.write(file, content)
  const [, command = ''] = /```sh\ncadre (.*)\n```/.exec(guide) ?? []
  const [, shown = 'nothing'] = /```text\n(.*)\n```/.exec(guide) ?? []
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
  const { code, stdout, stderr } = await project.cadre(args)
  expect(stdout).toBe(`${shown}\n`)
  expect(stderr).toContain('ben (tester): → send_message lead')
  expect(code).toBe(0)
  expect(readdirSync(project.at('.cadre/teams/release/inboxes')).sort()).toEqual([
    'ben.jsonl',
    'ben.receipts.jsonl',
    'lead.jsonl',
    'lead.receipts.jsonl',
  ])
  expect(record(project, 'lead')).toContain('Message from ben:')
  const tree = await project.cadre(['sessions', 'tree'])
  expect(tree.stdout).toContain('ann (reviewer)')
})

test('a team wakes in the next turn of its lead, in another process', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('helper'),
    'p.yaml': {
      lanes: {
        lead: {
          steps: [team(mate('ann', 'helper'))],
          default: {
            choose: [
              {
                when: { last: 'Ask her once more' },
                calls: [{ tool: 'send_message', input: { to: 'ann', text: 'Once more, please.' } }],
              },
              { when: { last: 'I heard: Once more, please.' }, reply: 'She answered.' },
              ...untilIdle.choose,
            ],
          },
        },
        helper: {
          default: {
            choose: [
              { when: { last: 'Once more, please.' }, reply: 'I heard: Once more, please.' },
              { reply: 'Ready.' },
            ],
          },
        },
      },
    },
  })
  const first = await project.cadre([...run, 'Begin'])
  expect(first.json().at(-1)).toMatchObject({ status: 'completed', text: 'The end.', sessions: 2 })
  const lead = String(first.json().at(-1)?.['session'])
  const second = await project.cadre([
    'resume',
    '--json',
    '--model',
    'scripted:p.yaml',
    lead,
    'Ask her once more',
  ])
  expect(second.json().at(-1)).toMatchObject({ status: 'completed', text: 'She answered.', sessions: 2 })
  expect(record(project, 'helper')).toContain('message: team/release/ann/')
})

test('the approval of a teammate is decided, and the run continues', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('helper'),
    ...deployTool,
    'p.yaml': {
      lanes: {
        lead: { steps: [team(mate('ann', 'helper'), mate('ben', 'helper'))], default: untilIdle },
        helper: {
          sessions: [
            {
              when: 'You are ann',
              steps: [
                { calls: [{ tool: 'deploy', input: {} }] },
                { expect: { last: 'it is live' }, reply: 'Live.' },
              ],
            },
            { default: { reply: 'Done.' } },
          ],
        },
      },
    },
  })
  const first = await project.cadre([...run, '--trust', 'Begin'])
  expect(first.code).toBe(3)
  const pending = JSON.parse((await project.cadre(['approvals', '--trust', '--json'])).stdout)
  expect(pending).toMatchObject([{ agent: 'helper', status: 'pending' }])
  expect((await project.cadre(['approve', '--trust', pending[0].id])).code).toBe(0)
  const [lead = ''] = project.sessions().filter((id) => id.startsWith('lead'))
  const second = await project.cadre(['resume', '--trust', '--json', '--model', 'scripted:p.yaml', lead])
  expect(second.json().at(-1)).toMatchObject({ status: 'completed', text: 'The end.', sessions: 3 })
})

test('the configured message limit stops a team that does not stop itself', async () => {
  const ping = (to: string) => ({
    default: { calls: [{ tool: 'send_message', input: { to, text: 'ping' } }] },
  })
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('helper'),
    ...agentFile('tester'),
    '.cadre/config.yaml': { limits: { teamMessages: 5, maxTurns: 12 } },
    'p.yaml': {
      lanes: {
        lead: { steps: [team(mate('ann', 'helper'), mate('ben', 'tester'))], default: untilIdle },
        helper: ping('ben'),
        tester: ping('ann'),
      },
    },
  })
  const { json } = await project.cadre([...run, 'Begin'])
  const report = json().at(-1) as { notices?: { message: string }[] }
  expect(JSON.stringify(report.notices)).toContain(
    'Message limit reached for team release (5, limits.teamMessages)',
  )
  const lines = ['ann', 'ben'].flatMap((name) =>
    project.read(`.cadre/teams/release/inboxes/${name}.jsonl`).trim().split('\n'),
  )
  expect(lines).toHaveLength(5)
})

test('a read-only teammate starts no agent outside its team', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('deployer'),
    '.claude/agents/reader.md': '---\nname: reader\ndescription: Reads\ntools: Read\n---\nRead.\n',
    'p.yaml': {
      lanes: {
        lead: { steps: [team(mate('ann', 'reader'))], default: untilIdle },
        reader: [
          { calls: [{ tool: 'send_message', input: { to: 'deployer', text: 'Deploy now.' } }] },
          { reply: 'Tried.' },
        ],
      },
    },
  })
  const { json } = await project.cadre([...run, 'Begin'])
  expect(json().at(-1)).toMatchObject({ status: 'completed', text: 'The end.' })
  expect(record(project, 'reader')).toContain('reader may only write to its team')
  expect(project.exists('.cadre/mailboxes')).toBe(false)
})

test('--read-only and --deny-tool apply to teammates', async () => {
  const project = createProject({
    ...agentFile('lead'),
    ...agentFile('helper'),
    'p.yaml': {
      lanes: {
        lead: { steps: [team(mate('ann', 'helper'))], default: untilIdle },
        helper: [
          {
            calls: [
              { tool: 'write_file', input: { path: 'x.txt', content: 'x' } },
              { tool: 'read_file', input: { path: 'p.yaml' } },
            ],
          },
          { reply: 'Tried.' },
        ],
      },
    },
  })
  const { json } = await project.cadre([...run, '--read-only', '--deny-tool', 'read_file', 'Begin'])
  expect(json().at(-1)).toMatchObject({ status: 'completed', text: 'The end.' })
  expect(project.exists('x.txt')).toBe(false)
  expect(record(project, 'helper')).toContain('this run is read-only')
  expect(record(project, 'helper')).toContain('read_file is denied for this run')
})
