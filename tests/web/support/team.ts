import { asks, ended, reply, result, say, started, type WrittenHome } from './written-home.ts'

/** A run with three levels, an approval of HIGH risk and one of LOW risk, and an ended run; agents, tasks and lines of the audit. */
export function writeTeam(home: WrittenHome): void {
  const below = (parent: string, call: string) => ({ root: 'lead-1', parent: { session: parent, call } })
  home.session(
    'lead-1',
    [
      say('Add rate limiting to the API.'),
      reply('## Plan\n\nI ask a **planner**.\n\n<img src=x onerror=alert(1)> [bad](javascript:alert(1))', [
        'c1',
        'delegate_task',
        { subagent_type: 'planner', prompt: 'Plan it.' },
      ]),
      started('c1', { child: 'planner-1' }),
    ],
    {
      work: { content: 'Add rate limiting to the API.' },
      limits: { maxRounds: 30, budget: { tokens: 10_000, calls: 20 } },
    },
  )
  home.session(
    'planner-1',
    [
      say('Plan it.'),
      reply('I read the limits.', ['c1', 'read_file', { path: 'src/limits.ts' }]),
      started('c1'),
      result('c1', 'export const perMinute = 6'),
      reply('I ask a builder.', ['c2', 'delegate_task', { subagent_type: 'builder', prompt: 'Build it.' }]),
      started('c2', { child: 'builder-1' }),
    ],
    { ...below('lead-1', 'c1'), depth: 1, chain: ['lead', 'planner'], work: { content: 'Plan it.' } },
  )
  home.session('builder-1', [say('Build it.'), ...asks('c1', 'git push --force \u202eorigin', 'HIGH')], {
    ...below('planner-1', 'c2'),
    depth: 2,
    chain: ['lead', 'planner', 'builder'],
    work: { content: 'Build it.' },
  })
  home.session('builder-2', [say('Install it.'), ...asks('c1', 'npm install left-pad', 'LOW')], {
    work: { content: 'Install it.' },
  })
  home.session('lead-2', [say('Say hello.'), reply('Hello.'), ended('lead-2', 'Hello.')], {
    work: { content: 'Say hello.' },
  })
  for (const name of ['lead', 'planner', 'builder'])
    home.file(
      `templates/${name}.agent.yaml`,
      `id: ${name}\ntype: ${name}\ndescription: Works.\nsystem_prompt: You work.\n`,
    )
  home.file(
    'tasks/limits.task.md',
    `## TODO

- [x] A @planner "Read the limits"
  id: read
- [ ] A @builder #api "Limit requests"
  id: limit
  depends_on: read
- [ ] B "Document the limit"
  id: document
  depends_on: limit
`,
  )
  const line = {
    at: '2026-11-15T10:00:04.000Z',
    type: 'call.judged',
    session: 'planner-1',
    agent: 'planner',
    decision: 'allow',
    tool: 'read_file',
    input: { path: 'src/limits.ts' },
    by: 'policy',
    rule: 'effects.read',
  }
  home.file('events/2026-11-15.jsonl', `${JSON.stringify(line)}\n`)
}
