import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentFile, createProject, type Project } from './support/project.ts'

const run = ['run', '--trust', '--model', 'scripted:p.yaml', '--json', 'Run it.']

function createTeam(...commands: readonly object[]): Project {
  const project = createProject({
    ...agentFile('lead'),
    'run.sh': '#!/bin/sh\necho first >> ran.txt\n',
    'evil/run.sh': '#!/bin/sh\necho evil >> ../ran.txt\n',
    'p.yaml': {
      lanes: {
        lead: [
          ...commands.map((input) => ({ calls: [{ tool: 'execute_command', input }] })),
          { reply: 'It says: {{last}}' },
        ],
      },
    },
  })
  for (const file of ['run.sh', 'evil/run.sh']) chmodSync(project.at(file), 0o755)
  return project
}

async function decide(project: Project, ...flags: readonly string[]): Promise<string> {
  const [record] = JSON.parse((await project.cadre(['approvals', '--json'])).stdout) as [
    { id: string; session: string },
  ]
  expect((await project.cadre(['approve', record.id, ...flags])).code).toBe(0)
  return record.session
}

test('an approved script runs once, as a person saw it', async () => {
  const project = createTeam({ command: './run.sh' })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project)
  expect((await project.cadre(['resume', session, '--trust'])).code).toBe(0)
  expect(project.read('ran.txt')).toBe('first\n')
})

test('a script that changed after the approval was requested does not run', async () => {
  const project = createTeam({ command: './run.sh' })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project)
  project.write('run.sh', '#!/bin/sh\necho swapped >> ran.txt\n')
  const resumed = await project.cadre(['resume', session, '--trust'])
  expect(resumed.stdout).toContain('changed after the approval was requested')
  expect(project.exists('ran.txt')).toBe(false)
})

const others = [
  { command: 'cd evil && ./run.sh' },
  { command: './run.sh', cwd: 'evil' },
  { command: 'CI=1 ./run.sh' },
  { command: './run.sh more' },
  { command: './run.sh > out.txt' },
  { command: './evil/../run.sh' },
]

test.each(others)('an approval for the session does not cover $command $cwd', async (other) => {
  const project = createTeam({ command: './run.sh' }, { command: './run.sh' }, other)
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project, '--session')
  // The same call is granted; the other one asks again.
  expect((await project.cadre(['resume', session, '--trust', '--allow', 'write'])).code).toBe(3)
  expect(project.read('ran.txt')).toBe('first\nfirst\n')
})
