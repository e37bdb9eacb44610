import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { writeTeam } from './team.ts'
import type { WrittenHome } from './written-home.ts'

const hidden = 'Check \u202ethe limits <img src=x onerror=alert(1)>'

/** A team with other tasks, an agent, a memory and an audit log. */
export function writeRecords(home: WrittenHome): void {
  writeTeam(home)
  const write = (file: string, text: string) => {
    const target = home.home.at(...file.split('/'))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text)
  }
  write(
    'tasks/limits.task.md',
    `# Rate limits

- [ ] A @planner Plan the limits
  id: plan
- [ ] B @builder Build the limits
  id: build
  depends_on: plan
- [~] @lead Release it
  id: release
  session: lead-1
- [x] Read the docs
  id: read
- [ ] ${hidden}
`,
  )
  write('memory/limits.md', 'The limits are six a minute.\n')
  write(
    'templates/builder.agent.md',
    '---\nname: builder\ndescription: Builds what was planned.\ntools: [read, edit, execute]\nmodle: x\n---\nYou build.\n',
  )
  const line = (changes: object) => JSON.stringify({ at: '2026-11-15T10:00:00.000Z', ...changes })
  write(
    'events/2026-11-15.jsonl',
    `${[
      line({ type: 'session.started', session: 'lead-1', agent: 'lead' }),
      line({
        type: 'call.judged',
        session: 'builder-1',
        agent: 'builder',
        tool: 'run_command',
        input: { command: 'git push --force \u202eorigin' },
        decision: 'deny',
        by: 'policy',
        rule: 'effects.execute',
        reason: 'The policy denies it.',
      }),
      ...Array.from({ length: 150 }, (_, index) =>
        line({
          type: 'call.settled',
          session: 'lead-2',
          agent: 'lead',
          tool: `read_${index}`,
          outcome: 'done',
        }),
      ),
    ].join('\n')}\n`,
  )
}
