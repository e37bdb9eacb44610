import { chmodSync, existsSync, symlinkSync } from 'node:fs'
import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, type Project } from './support/project.ts'

const test = sampled(3)

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
  expect(resumed.stderr).toContain('execute_command ./run.sh (approval: approval-outdated)')
  const shown = await project.cadre(['sessions', 'show', session])
  expect(shown.stdout).toContain('refused by approval, approval-outdated')
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
  // The same call is granted; the other one needs approval again.
  expect((await project.cadre(['resume', session, '--trust', '--allow', 'write'])).code).toBe(3)
  expect(project.read('ran.txt')).toBe('first\nfirst\n')
})

const swaps = [
  'bash run.sh',
  'bash < run.sh',
  'bash ./r*.sh',
  'cat run.sh | bash',
  'bash "$PWD/run.sh"',
  'make --file=run.sh',
]

test.each(swaps)('an approval of %s ends when the file changes', async (command) => {
  const project = createTeam({ command })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project)
  project.write('run.sh', 'echo swapped >> ran.txt\n')
  const resumed = await project.cadre(['resume', session, '--trust'])
  expect(resumed.stdout).toContain('changed after the approval was requested')
  expect(project.exists('ran.txt')).toBe(false)
})

test('an approval ends when a redirect leads elsewhere', async () => {
  const project = createTeam({ command: 'seq 3 > out.txt' })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project)
  const outside = `${project.path}-outside`
  symlinkSync(outside, project.at('out.txt'))
  const resumed = await project.cadre(['resume', session, '--trust'])
  expect(resumed.stdout).toContain('changed after the approval was requested')
  expect(existsSync(outside)).toBe(false)
})

test.each([
  ["python3 <<'E'\nprint(1)\nE", "python3 <<'E'\nprint(2)\nE"],
  ['cat run.sh | bash', "echo 'echo evil' | bash"],
  ['bash evil/run.sh', 'echo x | bash evil/run.sh'],
])('an approval of %j for the session does not cover %j', async (first, second) => {
  const project = createTeam({ command: first }, { command: second })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project, '--session')
  expect((await project.cadre(['resume', session, '--trust', '--allow', 'write'])).code).toBe(3)
})

test('an approval for the session ends when the script changes', async () => {
  const rewrite = "cat > run.sh <<'E'\necho changed >> ran.txt\nE"
  const project = createTeam({ command: 'bash run.sh' }, { command: rewrite }, { command: 'bash run.sh' })
  expect((await project.cadre(run)).code).toBe(3)
  const session = await decide(project, '--session')
  expect((await project.cadre(['resume', session, '--trust', '--allow', 'write'])).code).toBe(3)
  expect(project.read('ran.txt')).toBe('first\n')
})
