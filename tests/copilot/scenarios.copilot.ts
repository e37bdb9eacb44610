import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { openExample } from '../../examples/support/example.ts'
import { model, openCopilotExample } from './support/copilot-example.ts'
import { userText } from './support/fake-github.ts'

const explore = 'Find out where settings come from and who uses them, and document it'

test('a lead starts explorers in parallel, collects them in one turn, and continues with their findings', async () => {
  const example = await openCopilotExample('explorers')
  const run = await example.run([explore])
  expect(example.played.problems).toEqual([])
  expect(example.played.leftovers()).toEqual([])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report).toMatchObject({ agent: 'lead', status: 'completed', sessions: 5, calls: 10, model })
  expect(run.report.text).toContain('`docs/settings.md` says so now.')

  // Round one is parallel, round two depends on it.
  expect(run.delegations.slice(0, 3).toSorted()).toEqual(['lead → Explore', 'lead → Explore', 'lead → Plan'])
  expect(run.delegations.slice(3)).toEqual(['lead → general-purpose'])
  expect(run.together('Explore', 'Explore', 'Plan')).toBe(true)
  const [first, second, ...more] = run.said('lead')
  expect(more).toEqual([])
  expect(first?.match(/<subagent_result agent_type="\w+"/g)).toHaveLength(3)
  expect(second).toContain('<subagent_result agent_type="general-purpose"')

  // The server gets only the tools of each agent, so explorers cannot even request a write.
  const toolsOf = (words: string) =>
    example.github.chats
      .filter((chat) => userText(chat).includes(words))
      .flatMap(({ tools = [] }) => tools.map(({ function: { name } }) => name))
  expect(new Set(toolsOf('You look things up in code'))).toEqual(
    new Set(['file_search', 'grep_search', 'list_dir', 'read_file']),
  )
  expect(run.project.exists('workspace/notes.md')).toBe(false)
  expect(run.project.read('workspace/docs/settings.md')).toContain('`BEACON_SETTINGS`')

  // Every session has a journal, Explore has its own model, and no journal contains a GitHub token.
  expect(run.project.sessions()).toHaveLength(5)
  const journals = run
    .all('session.started')
    .map(({ session }) => run.project.read(`.cadre/sessions/${session}.session.yaml`))
  expect(journals.join()).not.toMatch(/ghu_|tid=/)
  expect(journals[0]).toContain('The first round is in progress.')
  expect(journals[0]).toContain('Question two is answered: only src/main.js:4')
  const models = new Map(run.all('session.started').map((event) => [event.agent, event.model]))
  expect(models.get('Explore')).toBe('copilot-ls:claude-haiku-4.5')
  expect(models.get('general-purpose')).toBe(model)
  // Three turns of the lead, one of Plan and of general-purpose, and two of a model that costs a third.
  expect(run.report.usage.premium).toBeCloseTo(5.66)
  // Within a turn, the server reports only the size of the context. The sum may be slightly too high, but never too low.
  const { input } = example.github.usage
  expect(run.report.usage.input).toBeGreaterThanOrEqual(input)
  expect(run.report.usage.input).toBeLessThan(input * 1.05)
})

test('an explorer that may write only its artifact is refused by the gate when it tries more', async () => {
  const project = openExample('explorers')
  const prompt = 'You look, and write down what you saw.'
  project.write(
    'workspace/.github/agents/Explore.agent.md',
    `---\nname: Explore\ndescription: Looks\ntools: [read_file, write_file]\nmetadata: { cadre-writes: artifact }\n---\n${prompt}\n`,
  )
  const artifact = '.github/hooks/artifacts/explore.md'
  const write = (path: string) => ({ tool: 'write_file', input: { path, content: 'seen\n' } })
  const task = { subagent_type: 'Explore', prompt: 'Look', description: 'Look' }
  project.write('playbook.yaml', {
    lanes: {
      lead: [{ calls: [{ tool: 'delegate_task', input: task }] }, { reply: 'Sent.' }, { reply: 'Done.' }],
      Explore: [
        { calls: [write('src/main.js'), write(artifact)] },
        { expect: { last: 'its artifact' }, reply: 'I could only write my artifact.' },
      ],
    },
  })
  const example = await openCopilotExample('explorers', project, [{ name: 'Explore', prompt }])
  const run = await example.run(['--trust', '--allow', 'write', explore])
  expect(example.played.problems).toEqual([])
  expect(run.report).toMatchObject({ status: 'completed', text: 'Done.' })
  expect(run.calls('refused')).toEqual(['Explore write_file'])
  expect(run.calls('done')).toEqual(['lead delegate_task', 'Explore write_file'])
  expect(project.read('workspace/src/main.js')).toContain('createServer')
  expect(project.read(`workspace/${artifact}`)).toBe('seen\n')
})

test('Plan plans and only reads, and the handoff to the implementation carries it out', async () => {
  const example = await openCopilotExample('planner')
  const { project, played, github } = example
  const planned = await example.run(['Plan how to add a health check'])
  expect(played.problems).toEqual([])
  expect(planned.stderr).toBe('')
  expect(planned.code).toBe(0)
  expect(planned.delegations).toEqual(['Plan → Researcher', 'Plan → Researcher'])
  expect(planned.said('Researcher')).toEqual([expect.stringContaining('lacks these sections: Unknowns.')])
  expect(project.exists('workspace/src/health.js')).toBe(false)
  expect(planned.report.handoffs).toMatchObject([
    { label: 'Start Implementation', agent: 'Agent', send: true },
    { label: 'Open in Editor', agent: 'Agent', send: true },
  ])

  const before = github.chats.length
  const options = ['--json', '--allow', 'write', '--model', model]
  const done = await example.cadre(['chat', ...options, '--resume', planned.report.session], '1\n')
  expect(played.problems).toEqual([])
  expect(done.stderr).toBe('')
  expect(done.code).toBe(0)
  expect(done.json().at(-1)).toMatchObject({
    agent: 'Agent',
    status: 'completed',
    handoffs: [{ label: 'Back to the Plan', agent: 'Plan', send: false }],
  })
  // A separate conversation that contains the plan, but not Plan's prompt.
  const asked = userText(github.chats[before]!)
  expect(asked).toContain('Carry out the plan above')
  expect(asked).not.toContain('That somebody is never you')
  const tests = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: project.at('workspace'),
    encoding: 'utf8',
  })
  expect(tests.stdout).toMatch(/^# pass 2$/m)
})

test('CVE_Remediator finds, upgrades, fixes and verifies, unless an organisation has disabled it', async () => {
  const example = await openCopilotExample('planner')
  const { project, played, github } = example
  project.write('.cadre/storage/policy.yaml', { cveRemediatorAgent: { enabled: false } })
  const refused = await example.cadre([
    'run',
    '--team',
    'planner',
    '--agent',
    'CVE_Remediator',
    '--model',
    model,
    'x',
  ])
  expect(refused.code).toBe(4)
  expect(refused.stderr).toContain('cveRemediatorAgent.enabled is false')
  expect(github.chats).toEqual([])

  project.write('.cadre/storage/policy.yaml', {})
  // The user's own rule also applies without a sandbox.
  project.write('.config/cadre/terminal-cmd-allowlist.yaml', 'node check.js: allow\n')
  const run = await example.run(
    ['--agent', 'CVE_Remediator', '--allow', 'write', 'Mend what is vulnerable'],
    { workspace: 'vulnerable' },
  )
  expect(played.problems).toEqual([])
  expect(run.stderr).toBe('')
  expect(run.code).toBe(0)
  expect(run.report.sections).toMatchObject({
    Vulnerabilities: expect.stringMatching(/critical[\s\S]*low/),
    Changes: expect.stringContaining('from 1.0.0 to 1.0.1'),
    Verification: expect.stringContaining('node check.js'),
    'Remaining Risk': expect.stringContaining('TILL-2026-0003'),
  })
  expect(run.calls('refused')).toEqual([])
  expect(run.all('round.started')).toHaveLength(9)
  expect(project.read('vulnerable/package.json')).toContain('file:vendor/plain-template-1.0.1')
  const check = spawnSync(process.execPath, ['check.js'], { cwd: project.at('vulnerable'), encoding: 'utf8' })
  expect(check).toMatchObject({ status: 0, stdout: expect.stringContaining('The tests pass.') })
})
