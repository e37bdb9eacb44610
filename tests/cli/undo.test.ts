import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'

const test = sampled(3)

const git = (project: Project, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: project.path,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const write = (file: string, content: string) => ({ tool: 'write_file', input: { path: file, content } })
const command = (line: string) => ({ tool: 'execute_command', input: { command: line } })

function createTeam(lanes: object, agents: object = {}): Project {
  const project = createProject({
    ...agentFile('lead'),
    ...agents,
    '.config/cadre/policy.yaml': { effects: { execute: 'allow' } },
    '.gitignore': '*.env\n',
    'a.txt': 'one\n',
    'b.txt': 'b\n',
    'remove.mjs': "import { rmSync } from 'node:fs'; rmSync('b.txt')",
    'local.env': 'TOKEN=1\n',
    'p.yaml': { lanes },
  })
  git(project, 'init', '-q', '-b', 'main')
  project.write('.git/info/exclude', '/.cadre/\n/.config/\n')
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'first')
  return project
}

const allowed = ['--model', 'scripted:p.yaml', '--allow', 'write', '--allow', 'execute', '--json']
const run = ['run', '--agent', 'lead', ...allowed, 'Change the files']
const lead = (project: Project) => project.sessions().find((id) => id.startsWith('lead')) as string

test('undoes the last turn after showing it, tells the agent, and redoes it', async () => {
  const project = createTeam({
    lead: [
      { calls: [write('a.txt', 'two\nthree\n'), write('new/file.txt', 'new\n')] },
      { calls: [command('node remove.mjs'), write('local.env', 'TOKEN=2\n')] },
      { reply: 'Done.' },
      { calls: [write('later.txt', 'later\n')] },
      { reply: 'More.' },
    ],
  })
  const before = git(project, 'status', '--porcelain')
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  const dry = await project.cadre(['undo', '--dry-run'])
  expect(dry.code, dry.stderr).toBe(0)
  expect(dry.stdout).toBe(
    `Undo the turn "Change the files" of session ${lead(project)} in ${project.path}:
  change  a.txt  +1 -2
  create  b.txt  +1 -0
  change  local.env  +1 -1
  delete  new/file.txt  +0 -1
`,
  )
  expect(project.read('a.txt')).toBe('two\nthree\n')
  const unasked = await project.cadre(['undo'])
  expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Add --yes to undo')])
  const undone = await project.cadre(['undo', '--yes'])
  expect(undone.code, undone.stderr).toBe(0)
  expect(undone.stdout).toContain('Undone: 4 files restored. Restore the changes with "cadre redo".')
  expect([project.read('a.txt'), project.read('b.txt'), project.read('local.env')]).toEqual([
    'one\n',
    'b\n',
    'TOKEN=1\n',
  ])
  expect(project.exists('new')).toBe(false)
  expect(git(project, 'status', '--porcelain')).toBe(before)
  const [day] = readdirSync(project.at('.cadre/events'))
  expect(project.read(`.cadre/events/${day}`)).toContain('"type":"turn.undone"')

  const redone = await project.cadre(['redo', lead(project), '--yes', '--json'])
  expect(redone.json()).toMatchObject([{ direction: 'redo', result: 'applied', files: { length: 4 } }])
  expect([project.read('a.txt'), project.exists('b.txt')]).toEqual(['two\nthree\n', false])
  await project.cadre(['undo', '--yes'])

  const resumed = await project.cadre(['resume', lead(project), ...allowed, 'Go on'])
  expect(resumed.code, resumed.stderr).toBe(0)
  const journal = project.read(`.cadre/sessions/${lead(project)}.session.yaml`)
  expect(journal.match(/The user has undone the file changes/g)).toHaveLength(2)
  expect(journal).toContain('Read them again before you edit them')
  const next = await project.cadre(['undo', '--yes', '--json'])
  expect(next.json()).toMatchObject([{ prompt: 'Go on', files: [{ path: 'later.txt', action: 'delete' }] }])
})

test('stops if a person has changed a file since, and can keep or replace it', async () => {
  const project = createTeam({
    lead: [{ calls: [write('a.txt', 'two\n'), write('b.txt', 'bb\n')] }, { reply: 'Done.' }],
  })
  await project.cadre(run)
  project.write('a.txt', 'mine\n')
  const refused = await project.cadre(['undo', '--yes'])
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain('Nothing was changed.\n  a.txt has changed since\n')
  expect([project.read('a.txt'), project.read('b.txt')]).toEqual(['mine\n', 'bb\n'])
  expect((await project.cadre(['undo', '--yes', '--json'])).json()).toMatchObject([
    { result: 'refused', conflicts: [{ path: 'a.txt', reason: 'has changed since' }] },
  ])
  const kept = await project.cadre(['undo', '--yes', '--skip-changed'])
  expect([kept.code, project.read('a.txt'), project.read('b.txt')]).toEqual([0, 'mine\n', 'b\n'])
  await project.cadre(['redo', '--yes'])
  const forced = await project.cadre(['undo', '--yes', '--force'])
  expect([forced.code, project.read('a.txt'), project.read('b.txt')]).toEqual([0, 'one\n', 'b\n'])
  await project.cadre(['redo', '--yes'])
  expect(project.read('a.txt')).toBe('mine\n')
})

test('a turn includes files that subagents wrote, and changes merged from their workspaces', async () => {
  const project = createTeam(
    {
      lead: [
        { calls: [delegate('builder'), delegate('tester')] },
        { calls: [delegate('shared')] },
        { reply: 'Done.' },
      ],
      builder: [{ calls: [write('built.txt', '1\n')] }, report('Built.')],
      tester: [{ calls: [write('tested.txt', '1\n')] }, report('Tested.')],
      shared: [{ calls: [write('a.txt', 'shared\n')] }, report('Shared.')],
    },
    { ...agentFile('builder'), ...agentFile('tester'), ...agentFile('shared', { isolation: 'shared' }) },
  )
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  expect([project.read('built.txt'), project.read('tested.txt')]).toEqual(['1\n', '1\n'])
  expect((await project.cadre(['undo', '--yes'])).code).toBe(0)
  expect([project.exists('built.txt'), project.exists('tested.txt'), project.read('a.txt')]).toEqual([
    false,
    false,
    'one\n',
  ])
})

test('shows file names without terminal escapes, and rejects invalid requests', async () => {
  const project = createTeam({ lead: [{ calls: [write('x\u001b[31m.txt', 'x\n')] }, { reply: 'Done.' }] })
  const nothing = await project.cadre(['undo', '--yes'])
  expect([nothing.code, nothing.stdout]).toEqual([
    0,
    expect.stringContaining('There is no turn in this folder to undo'),
  ])
  await project.cadre(run)
  const { stdout } = await project.cadre(['undo', '--dry-run'])
  expect(stdout).toContain('delete  x')
  expect(stdout).not.toContain('\u001b')
  expect(await project.cadre(['undo', '--force', '--skip-changed'])).toMatchObject({ code: 2 })
  expect(await project.cadre(['undo', 'nobody-1'])).toMatchObject({ code: 2 })
  const redo = await project.cadre(['redo', '--yes'])
  expect(redo.stdout).toContain('no undone turn')
})

test('only the user can read checkpoints, and agents cannot change them', async () => {
  const project = createTeam({
    lead: [
      { calls: [write('local.env', 'TOKEN=2\n')] },
      { calls: [write('.cadre/storage/checkpoints/x', 'x')] },
      { calls: [command('touch .cadre/storage/checkpoints/y')] },
      { calls: [command('cadre undo --yes')] },
      { reply: 'Done.' },
    ],
  })
  await project.cadre(run)
  const store = project.at('.cadre/storage/checkpoints')
  expect([
    project.exists('.cadre/storage/checkpoints/x'),
    project.exists('.cadre/storage/checkpoints/y'),
  ]).toEqual([false, false])
  const open = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const stats = statSync(path.join(store, name))
    return (stats.mode & 0o077) !== 0 && !stats.isDirectory()
  })
  expect(statSync(store).mode & 0o777).toBe(0o700)
  expect(open).toEqual([])
  expect(project.read('local.env')).toBe('TOKEN=2\n')
})
