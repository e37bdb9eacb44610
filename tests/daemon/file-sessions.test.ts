import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'
import { agent, startDaemon } from './machine.ts'

const test = sampled(2)

const writes = (file: string) => [
  { calls: [{ tool: 'write_file', input: { path: file, content: 'by the agent' } }] },
  { reply: 'It is written.' },
]
const policy = { '.cadre/storage/policy.yaml': 'effects: {write: allow}\n' }

test('an agent’s folder is its own repository, and changes there can be undone', async () => {
  const project = createProject({
    ...agent('worker'),
    ...policy,
    '.cadre/workspaces/worker/mine.txt': 'by a person',
    'playbook.yaml': { lanes: { worker: writes('notes.txt') } },
  })
  const daemon = await startDaemon(project)
  const talk = (id: string) =>
    project.write(
      `.cadre/sessions/${id}.session.yaml`,
      'agent_id: worker\nmessages:\n  - role: user\n    content: Write it down.\n',
    )
  talk('talk-1')
  await until(() => /^status: completed/m.test(project.read('.cadre/sessions/talk-1.session.yaml')))
  expect(project.read('.cadre/workspaces/worker/notes.txt')).toBe('by the agent')
  expect(project.read('.cadre/workspaces/worker/.git')).toMatch(/^gitdir: /)
  expect(project.exists('notes.txt')).toBe(false)
  const [listed] = JSON.parse((await project.cadre(['workspace', 'list', '--json'])).stdout)
  expect(listed).toMatchObject({ session: 'worker', kind: 'repository', state: 'open', files: ['notes.txt'] })
  // By the folder, and by the session that worked there.
  const undone = await project.cadre(['workspace', 'rollback', 'talk-1'])
  expect(undone.code, undone.stderr).toBe(0)
  expect(readdirSync(project.at('.cadre/workspaces/worker')).toSorted()).toEqual(['.git', 'mine.txt'])
  talk('talk-2')
  await until(() => /^status: completed/m.test(project.read('.cadre/sessions/talk-2.session.yaml')))
  expect(project.exists('.cadre/workspaces/worker/notes.txt')).toBe(true)
  expect((await project.cadre(['workspace', 'rollback', 'worker'])).code).toBe(0)
  expect(project.exists('.cadre/workspaces/worker/notes.txt')).toBe(false)
  // Nothing would be lost, and the person's own files stay.
  expect((await project.cadre(['workspace', 'clean'])).code).toBe(0)
  expect(project.read('.cadre/workspaces/worker/mine.txt')).toBe('by a person')
  expect(await daemon.stop()).toBe(0)
})

test('an agent with isolation: workspace gets one in sessions that start from files and chat logs', async () => {
  const apart = agent('worker')
  const [template] = Object.keys(apart) as [keyof typeof apart]
  const project = createProject({
    [template]: { ...apart[template], isolation: 'workspace' },
    ...policy,
    'a.txt': 'a',
    'playbook.yaml': { lanes: { worker: writes('notes.txt') } },
  })
  const daemon = await startDaemon(project)
  project.write(
    '.cadre/sessions/talk.session.yaml',
    `agent_id: worker\nmetadata:\n  workspace: ${project.path}\nmessages:\n  - role: user\n    content: Write it down.\n`,
  )
  project.write(
    '.cadre/agents/worker.agent.md',
    '# Agent: worker\n\n## Conversation\n\n### 2026-01-01 10:00:00 | user\n\nWrite it down.\n',
  )
  for (const id of ['talk', 'worker-chat']) {
    const file = `.cadre/sessions/${id}.session.yaml`
    await until(() => project.exists(file) && /^status: completed/m.test(project.read(file)))
    expect(project.read(file)).toContain(`"session":"${id}"`)
    expect(project.read(`.cadre/workspaces/${id}/notes.txt`)).toBe('by the agent')
    expect(project.read(`.cadre/workspaces/${id}/a.txt`)).toBe('a')
  }
  expect(project.exists('notes.txt')).toBe(false)
  // The daemon owns the session for a moment after its end.
  await until(async () => (await project.cadre(['workspace', 'merge', 'talk'])).code !== 6)
  expect(project.read('notes.txt')).toBe('by the agent')
  expect(await daemon.stop()).toBe(0)
})
