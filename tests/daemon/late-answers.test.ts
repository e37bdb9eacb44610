/** Approvals that arrive while another session of the same tree runs. */
import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'
import { agent, startDaemon, statusOf } from './machine.ts'

const test = sampled(2)
const limit = { timeout: 120_000 }

const report = { calls: [{ tool: 'reportOut', input: { report: 'fine' } }] }
const delegate = (agentName: string) => ({
  tool: 'delegateWork',
  input: { agentName, workDescription: 'w', reportExpectations: 'r' },
})
const files = {
  ...agent('lead'),
  ...agent('asker'),
  ...agent('holder'),
  '.cadre/config.yaml': { tools: ['tools.mjs'] },
  '.cadre/tools.mjs': `import { appendFileSync, existsSync } from 'node:fs'
import path from 'node:path'
const project = path.dirname(import.meta.dirname)
const common = { parameters: { type: 'object' }, input: { '~standard': { version: 1, vendor: 'x', validate: (value) => ({ value }) } } }
export const deploy = {
  ...common, name: 'deploy', description: 'Deploys', class: 'execute', effect: 'execute',
  async run() {
    appendFileSync(path.join(project, 'deployed.txt'), 'x')
    return { content: 'deployed' }
  },
}
export const hold = {
  ...common, name: 'hold', description: 'Waits', class: 'read', effect: 'read',
  async run() {
    appendFileSync(path.join(project, 'held.txt'), 'x')
    while (!existsSync(path.join(project, 'go'))) await new Promise((resolve) => setTimeout(resolve, 20))
    return { content: 'let go' }
  },
}
`,
  'playbook.yaml': {
    lanes: {
      lead: [{ calls: [delegate('asker'), delegate('holder')] }, { reply: 'the run is over' }],
      asker: [report, { calls: [{ tool: 'deploy', input: {} }] }, report],
      holder: [report, { calls: [{ tool: 'hold', input: {} }] }, report],
    },
  },
}

const record = (project: Project, id: string) => project.read(`.cadre/sessions/${id}.session.yaml`)
const ends = (project: Project, id: string) => record(project, id).match(/session\.ended/g)?.length ?? 0
const write = (project: Project, id: string) =>
  appendFileSync(project.at(`.cadre/sessions/${id}.session.yaml`), '  - role: user\n    content: once more\n')

/** A finished run, whose child has been woken and asks. */
async function withAskingChild() {
  const project = createProject(files)
  const daemon = await startDaemon(project)
  project.write(
    '.cadre/sessions/lead-1.session.yaml',
    'agent_id: lead\nmessages:\n  - role: user\n    content: Begin.\n',
  )
  await until(() => ends(project, 'lead-1') === 1)
  const idOf = (name: string) =>
    project.sessions().find((id) => record(project, id).includes(`agent_id: ${name}\n`)) ?? ''
  const asker = idOf('asker')
  const holder = idOf('holder')
  await until(async () => (await statusOf(project)).sessions.running.length === 0)
  write(project, asker)
  await until(async () => (await statusOf(project)).sessions.waiting.includes(asker))
  return { project, daemon, asker, holder }
}

async function approve(project: Project) {
  const [pending] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as { id: string }[]
  const { code, stderr } = await project.cadre(['approve', pending?.id ?? ''])
  expect(code, stderr).toBe(0)
}

test(
  'a child continues with an approval of cadre approve that arrives while another child runs',
  limit,
  async () => {
    const { project, daemon, asker, holder } = await withAskingChild()
    write(project, holder)
    await until(() => project.exists('held.txt'))
    await approve(project)
    project.write('go', '')
    await until(() => ends(project, asker) === 2 && ends(project, holder) === 2)
    expect(project.read('deployed.txt')).toBe('x')
    expect(await daemon.stop()).toBe(0)
  },
)

for (const { title, waits } of [
  { title: 'right after the command', waits: () => true },
  {
    title: 'when the answer is recorded',
    waits: (project: Project, id: string) => record(project, id).includes('person.answered'),
  },
])
  test(`a child continues with an approval although the daemon is killed ${title}`, limit, async () => {
    const { project, daemon, asker, holder } = await withAskingChild()
    write(project, holder)
    await until(() => project.exists('held.txt'))
    await approve(project)
    await until(() => waits(project, asker))
    daemon.signal('SIGKILL')
    await daemon.ended()
    project.write('go', '')
    const next = await startDaemon(project)
    await until(() => ends(project, asker) === 2 && ends(project, holder) === 2)
    expect(project.read('deployed.txt')).toBe('x')
    expect(await next.stop()).toBe(0)
  })

test(
  'a child continues with an approval that arrives while another process runs its tree',
  limit,
  async () => {
    const { project, daemon, asker, holder } = await withAskingChild()
    const other = project.start([
      'resume',
      holder,
      'once more',
      '--trust',
      '--model',
      'scripted:playbook.yaml',
    ])
    await until(() => project.exists('held.txt'))
    await approve(project)
    expect(record(project, asker)).not.toContain('person.answered')
    project.write('go', '')
    await other.ended()
    await until(() => ends(project, asker) === 2 && ends(project, holder) === 2)
    expect(project.read('deployed.txt')).toBe('x')
    expect(await daemon.stop()).toBe(0)
  },
)
