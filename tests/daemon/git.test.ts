import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { sampled } from '../support/amount.ts'
import { agent, startDaemon, statusOf, untilHealthy, untilProblem } from './machine.ts'

const test = sampled(3)

const worker = { ...agent('worker'), 'playbook.yaml': { lanes: { worker: [{ reply: 'it is done' }] } } }
const task = (id: string) => `- [ ] A @worker "${id}"\n  id: ${id}\n`
const isDone = (project: Project, file: string) => () => /\[x\]/.test(project.read(file))
const inHome = (project: Project, ...args: string[]) =>
  execFileSync('git', ['-C', project.at('.cadre'), ...args], { encoding: 'utf8' })

/** A folder with only node. */
function pathWithoutGit(project: Project): string {
  mkdirSync(project.at('bin'))
  for (const name of ['sh', 'cat'])
    symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), project.at('bin', name))
  return project.at('bin')
}

test('without git the daemon works, and reports that there is no history', async () => {
  const project = createProject(worker)
  const daemon = await startDaemon(project, [], { PATH: pathWithoutGit(project) })
  project.write('.cadre/tasks/a.task.md', task('t1'))
  await until(isDone(project, '.cadre/tasks/a.task.md'))
  await until(
    async () => (await statusOf(project)).gitMissing?.includes('does not record the git history') === true,
  )
  expect((await project.cadre(['status'])).stdout).toMatch(/no git: .*does not record the git history/)
  expect(project.exists('.cadre/.git')).toBe(false)
  expect(await daemon.stop()).toBe(0)
})

test('a broken history is a problem, and stops nothing', async () => {
  const project = createProject(worker)
  const first = await startDaemon(project)
  project.write('.cadre/tasks/a.task.md', task('t1'))
  await until(isDone(project, '.cadre/tasks/a.task.md'))
  expect(await first.stop()).toBe(0)
  rmSync(project.at('.cadre/.git/objects'), { recursive: true })
  mkdirSync(project.at('.cadre/.git/objects'))
  const daemon = await startDaemon(project)
  project.write('.cadre/tasks/b.task.md', task('t2'))
  await until(isDone(project, '.cadre/tasks/b.task.md'))
  const { problems } = await untilProblem(project, 'Cannot commit changes')
  expect(problems).toMatchObject([{ file: '.git' }])
  expect(await daemon.stop()).toBe(0)
})

test('waits for the lock of another git instead of breaking it', async () => {
  const project = createProject(worker)
  const daemon = await startDaemon(project)
  await until(() => project.exists('.cadre/.git/HEAD'))
  // Like a running git: the file is held open.
  const holder = project.at('.cadre/.git/index.lock')
  const other = execHolding(holder)
  try {
    project.write('.cadre/tasks/a.task.md', task('t1'))
    await until(isDone(project, '.cadre/tasks/a.task.md'))
    await untilProblem(project, 'another git process has locked its index')
    expect(project.exists('.cadre/.git/index.lock')).toBe(true)
  } finally {
    other.end()
  }
  rmSync(holder, { force: true })
  project.write('.cadre/tasks/b.task.md', task('t2'))
  await until(isDone(project, '.cadre/tasks/b.task.md'))
  await untilHealthy(project)
  await until(() => inHome(project, 'ls-tree', '-r', '--name-only', 'HEAD').includes('tasks/b.task.md'))
  expect(await daemon.stop()).toBe(0)
})

test('changes by commands and agents are not reported as edits by hand', async () => {
  const insert = { tool: 'create_task', input: { title: 'Call Ann', who: ['ann'] } }
  const project = createProject({
    ...agent('worker'),
    'playbook.yaml': { lanes: { worker: [{ calls: [insert] }, { reply: 'it is done' }] } },
    '.cadre/tasks/a.task.md': '- [ ] @ann "Water the plants"\n  id: t1\n',
  })
  const daemon = await startDaemon(project)
  const log = () => inHome(project, 'log', '--format=%B')
  const update = `UPDATE '.cadre/tasks/a.task.md' SET completed = TRUE WHERE id = 't1'`
  expect(await project.cadre(['tasks', update])).toMatchObject({ code: 0 })
  expect(
    (await project.cadre(['run', '--model', 'scripted:playbook.yaml', '--agent', 'worker', 'x'])).code,
  ).toBe(0)
  expect((await project.cadre(['init', '--team', 'operators', '--force'])).code).toBe(0)
  project.write('.cadre/tasks/theirs.task.md', '## TODO\n')
  await until(() => daemon.shown().includes('edited by hand: tasks/theirs.task.md'))
  expect(await daemon.stop()).toBe(0)
  const names = [...`${log()}${daemon.shown()}`.matchAll(/edited by hand: (\S+)/g)].map(([, name]) => name)
  expect(new Set(names)).toEqual(new Set(['tasks/theirs.task.md']))
})

test("a person's git settings, and hooks in the home, change nothing", async () => {
  const project = createProject(worker)
  const trap = `#!/bin/sh\ntouch ${project.at('trapped')}\nexit 1\n`
  for (const folder of ['hooks', 'template/hooks']) {
    mkdirSync(project.at(folder), { recursive: true })
    for (const name of [
      'pre-commit',
      'commit-msg',
      'reference-transaction',
      'post-index-change',
      'post-commit',
    ]) {
      writeFileSync(project.at(folder, name), trap)
      chmodSync(project.at(folder, name), 0o755)
    }
  }
  writeFileSync(project.at('gpg'), trap)
  chmodSync(project.at('gpg'), 0o755)
  project.write(
    '.gitconfig',
    `[commit]\n  gpgsign = true\n[gpg]\n  program = ${project.at('gpg')}\n[core]\n  hooksPath = ${project.at('hooks')}\n  fsmonitor = ${project.at('gpg')}\n[init]\n  templateDir = ${project.at('template')}\n  defaultBranch = trunk\n[user]\n  useConfigOnly = true\n`,
  )
  const daemon = await startDaemon(project)
  mkdirSync(project.at('.cadre/.git/hooks'), { recursive: true })
  for (const name of ['pre-commit', 'reference-transaction', 'post-index-change']) {
    writeFileSync(project.at('.cadre/.git/hooks', name), trap)
    chmodSync(project.at('.cadre/.git/hooks', name), 0o755)
  }
  project.write('.cadre/tasks/a.task.md', task('t1'))
  await until(isDone(project, '.cadre/tasks/a.task.md'))
  expect(await daemon.stop()).toBe(0)
  expect(project.exists('trapped')).toBe(false)
  expect(inHome(project, '-c', 'core.fsmonitor=false', 'ls-tree', '-r', '--name-only', 'HEAD')).toContain(
    'tasks/a.task.md',
  )
})

/** A process that holds a lock file as git does. */
function execHolding(file: string): { end(): void } {
  const handle = openSync(file, 'wx')
  return { end: () => closeSync(handle) }
}
