import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { bubblewrap } from '../gate/sandbox-support.ts'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'
import { until } from './support/until.ts'

const test = sampled(8)

const git = (project: Project, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: project.path,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
const write = (file: string, content: string) => ({ tool: 'write_file', input: { path: file, content } })
const command = (line: string) => ({ tool: 'execute_command', input: { command: line } })

function createTeam(lanes: object, { agents = {}, repository = true } = {}): Project {
  const project = createProject({
    ...agentFile('lead', { isolation: 'workspace' }),
    ...agents,
    // The user's own rule, which also applies without a sandbox.
    '.config/cadre/policy.yaml': { effects: { execute: 'allow' } },
    'a.txt': 'one\n',
    'p.yaml': { lanes },
  })
  if (!repository) return project
  git(project, 'init', '-q', '-b', 'main')
  project.write('.git/info/exclude', '/.cadre/\n/.config/\n')
  git(project, 'add', '-A')
  git(project, 'commit', '-q', '-m', 'first')
  return project
}

const run = [
  'run',
  '--agent',
  'lead',
  '--model',
  'scripted:p.yaml',
  '--allow',
  'write',
  '--allow',
  'execute',
  '--json',
  'x',
]
const only = (project: Project, agent: string) =>
  project.sessions().find((id) => id.startsWith(agent)) as string

test('from the run to the merge: list, diff, one call undone, merged, cleaned up', async () => {
  const project = createTeam({
    lead: [
      { calls: [write('one.txt', '1\n')] },
      { calls: [write('two.txt', '2\n'), write('a.txt', 'two\n')] },
      { reply: 'Done.' },
    ],
  })
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  const id = only(project, 'lead')
  expect(ran.json().at(-1)).toMatchObject({
    status: 'completed',
    notices: [
      { code: 'workspace', message: expect.stringContaining(`branch cadre/${id} (3 commits, 3 files)`) },
    ],
  })
  expect(git(project, 'status', '--porcelain')).toBe('')
  const listed = await project.cadre(['workspace', 'list'])
  expect(listed.stdout).toMatch(new RegExp(`^${id} +lead +open +ended +3 +3 +0 +cadre/${id}$`, 'm'))
  const diff = await project.cadre(['workspace', 'diff', id.slice(0, 7)])
  expect(diff.stdout).toContain('3 files changed')
  expect(diff.stdout).toContain('-one\n+two\n')
  const { steps } = JSON.parse((await project.cadre(['workspace', 'diff', id, '--json'])).stdout)
  const undone = await project.cadre(['workspace', 'rollback', id, '--call', steps[0].call])
  expect(undone.stdout).toContain('write_file one.txt')
  expect(undone.code).toBe(0)
  project.write('a.txt', 'mine\n')
  const dirty = await project.cadre(['workspace', 'merge', id])
  expect([dirty.code, dirty.stdout]).toEqual([
    1,
    expect.stringMatching(/uncommitted changes in .*:\n {2}a\.txt\n/),
  ])
  const forecast = await project.cadre(['workspace', 'forecast'])
  expect([forecast.code, forecast.stdout]).toEqual([1, `${id}:\n  conflicts with its target folder: a.txt\n`])
  git(project, 'commit', '-qam', 'mine')
  const conflict = await project.cadre(['workspace', 'merge', id, '--json'])
  expect(JSON.parse(conflict.stdout)).toMatchObject({ session: id, result: 'conflicts', files: ['a.txt'] })
  expect(conflict.code).toBe(1)
  expect(project.exists('two.txt')).toBe(false)
  git(project, 'revert', '--no-edit', 'HEAD')
  const later = await project.cadre(['workspace', 'forecast', id, '--json'])
  expect([later.code, JSON.parse(later.stdout)]).toEqual([0, [{ session: id, with: [], omitted: 0 }]])
  const kept = await project.cadre(['workspace', 'clean'])
  expect(kept.stdout).toBe(`kept ${id}: 2 changed files not merged\n`)
  const merged = await project.cadre(['workspace', 'merge', id])
  expect(merged.stdout).toMatch(/^Merged into .*:\n {2}a\.txt\n {2}two\.txt\nCommit: [0-9a-f]{10}\n$/)
  expect([project.read('a.txt'), project.exists('one.txt')]).toEqual(['two\n', false])
  expect((await project.cadre(['workspace', 'clean'])).stdout).toBe(`removed ${id}\n`)
  expect(git(project, 'branch', '--list', 'cadre/*')).toBe('')
  expect(git(project, 'worktree', 'list').trim().split('\n')).toHaveLength(1)
  const unknown = await project.cadre(['workspace', 'diff', id])
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('does not have its own workspace'),
  ])
})

test('an ignored file that a tool wrote is merged, and any other ignored file is kept and reported', async () => {
  const project = createTeam({
    lead: [{ calls: [write('dist/out.js', 'built\n')] }, { reply: 'Done.' }],
  })
  project.write('.gitignore', 'dist/\nnode_modules/\n')
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  const id = only(project, 'lead')
  expect(ran.json().at(-1)).toMatchObject({
    notices: [{ message: expect.stringContaining('(1 commit, 1 file)') }],
  })
  // As a program would leave it there.
  project.write(`.cadre/workspaces/${id}/node_modules/m/index.js`, 'm\n')
  expect((await project.cadre(['workspace', 'diff', id, '--stat'])).stdout).toContain('dist/out.js')
  const merged = await project.cadre(['workspace', 'merge', id])
  expect(merged.stdout).toContain('  dist/out.js\n')
  expect(merged.stdout).toContain(`Merge them with: cadre workspace merge ${id} --include node_modules/`)
  expect(project.read('dist/out.js')).toBe('built\n')
  expect(git(project, 'status', '--porcelain')).not.toContain('dist')
  expect(project.exists('node_modules')).toBe(false)
  expect((await project.cadre(['workspace', 'clean'])).stdout).toContain(
    'the workspace has files that git ignores',
  )
  const included = await project.cadre(['workspace', 'merge', id, '--include', 'node_modules', '--json'])
  expect(JSON.parse(included.stdout)).toMatchObject({ files: ['node_modules/m/index.js'], left: [] })
  expect(project.read('node_modules/m/index.js')).toBe('m\n')
  expect((await project.cadre(['workspace', 'clean'])).stdout).toContain(`removed ${id}`)
})

test('ignored files of agents that work at the same time reach the project', async () => {
  const lane = (name: string) => [{ calls: [write(`dist/${name}.js`, name)] }, report(name)]
  const project = createTeam(
    {
      lead: [{ calls: [delegate('one'), delegate('two')] }, { reply: 'Done.' }],
      one: lane('one'),
      two: lane('two'),
    },
    { agents: { ...agentFile('lead'), ...agentFile('one'), ...agentFile('two'), '.gitignore': 'dist/\n' } },
  )
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  expect([project.read('dist/one.js'), project.read('dist/two.js')]).toEqual(['one', 'two'])
  expect(git(project, 'status', '--porcelain')).toBe('')
})

test('child sessions share it, and the changes of one of them can be undone alone', async () => {
  const project = createTeam(
    {
      lead: [{ calls: [delegate('writer')] }, { calls: [delegate('checker')] }, { reply: 'Done.' }],
      writer: [{ calls: [write('w.txt', 'w')] }, report('written')],
      checker: [
        { calls: [{ tool: 'read_file', input: { path: 'w.txt' } }, write('c.txt', 'c')] },
        report('seen'),
      ],
    },
    { agents: { ...agentFile('writer'), ...agentFile('checker') } },
  )
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  expect(ran.json().filter(({ outcome }) => outcome === 'failed')).toEqual([])
  const writer = only(project, 'writer')
  const undone = await project.cadre(['workspace', 'rollback', writer])
  expect(undone.stdout).toContain('Restored 1 file: w.txt')
  expect((await project.cadre(['workspace', 'diff', writer, '--stat'])).stdout).toContain('c.txt')
  expect((await project.cadre(['workspace', 'rollback', '--all'])).code).toBe(0)
  expect((await project.cadre(['workspace', 'clean'])).stdout).toBe(`removed ${only(project, 'lead')}\n`)
  for (const wrong of [['rollback'], ['rollback', writer, '--all'], ['clean', '--force']])
    expect((await project.cadre(['workspace', ...wrong])).code).toBe(2)
})

test('concurrent writers do not see each other, and their work is merged afterwards', async () => {
  const look = { tool: 'list_directory', input: { path: '.' } }
  const lane = (name: string) => [
    { calls: [write(`${name}.txt`, name)] },
    { calls: [look] },
    report(`{{last}}`),
  ]
  const project = createTeam(
    {
      lead: [{ calls: [delegate('one'), delegate('two')] }, { calls: [look] }, { reply: '{{last}}' }],
      one: lane('one'),
      two: lane('two'),
    },
    { agents: { ...agentFile('lead'), ...agentFile('one'), ...agentFile('two') }, repository: false },
  )
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  const ends = ran
    .json()
    .flatMap((event) => (event['type'] === 'session.ended' ? [event['report']] : [])) as {
    agent: string
    text: string
  }[]
  const seen = (agent: string) => ends.find((end) => end.agent === agent)?.text ?? ''
  expect([seen('one').includes('two.txt'), seen('two').includes('one.txt')]).toEqual([false, false])
  expect(seen('lead')).toMatch(/one\.txt[\s\S]*two\.txt/)
  expect([project.read('one.txt'), project.read('two.txt')]).toEqual(['one', 'two'])
  expect(readdirSync(project.at('.cadre/workspaces'))).toEqual([])
})

test('if two change the same lines, one is told about the conflict', async () => {
  const lane = (name: string) => [{ calls: [write('a.txt', `by ${name}\n`)] }, report(name)]
  const project = createTeam(
    {
      lead: [{ calls: [delegate('one'), delegate('two')] }, { reply: 'Done.' }],
      one: lane('one'),
      two: lane('two'),
    },
    { agents: { ...agentFile('lead'), ...agentFile('one'), ...agentFile('two') } },
  )
  const ran = await project.cadre(run)
  expect(ran.code, ran.stderr).toBe(0)
  const told = project.read(`.cadre/sessions/${only(project, 'lead')}.session.yaml`)
  expect(told.match(/they conflict with other changes: a\.txt/g)).toHaveLength(1)
  const [left] = JSON.parse((await project.cadre(['workspace', 'list', '--json'])).stdout)
  expect(project.read('a.txt')).toBe(left.agent === 'one' ? 'by two\n' : 'by one\n')
})

test.skipIf(bubblewrap.kind === 'none')(
  'commands run and write there, and cannot reach the rest of the home',
  async () => {
    for (const repository of [true, false]) {
      const project = createTeam(
        {
          lead: [
            { calls: [command('echo made > made.txt && git status --short')] },
            {
              calls: [
                command(
                  'echo x > ../../config.yaml; echo x > ../../storage/x; echo x > ../../../a.txt; echo x > .git; true',
                ),
              ],
            },
            {
              calls: [
                command(
                  repository
                    ? 'git -c user.name=a -c user.email=b commit -qm mine --allow-empty && git log -1 --oneline'
                    : 'git -c user.name=a -c user.email=b commit -qm mine --allow-empty',
                ),
              ],
            },
            { reply: 'Done.' },
          ],
        },
        { repository },
      )
      const ran = await project.cadre(run)
      expect(ran.code, ran.stderr).toBe(0)
      const id = only(project, 'lead')
      const [first, , third] = ran.json().filter(({ type }) => type === 'call.settled')
      expect(first?.['content']).toContain('made.txt')
      expect(project.exists('.cadre/config.yaml')).toBe(false)
      expect(project.exists('.cadre/storage/x')).toBe(false)
      expect(project.read('a.txt')).toBe('one\n')
      expect(third?.['content']).toMatch(repository ? /mine/ : /Read-only|read-only/)
      expect((await project.cadre(['workspace', 'diff', id, '--stat'])).stdout).toContain('made.txt')
      expect((await project.cadre(['workspace', 'merge', id])).code).toBe(0)
      expect(project.read('made.txt')).toBe('made\n')
    }
  },
)

test('a run that is killed between an effect and its commit continues, and the change is in the history', async () => {
  const project = createTeam({
    lead: [
      { calls: [write('first.txt', '1')] },
      { calls: [command('echo half > half.txt; touch reached; sleep 600')] },
      { reply: 'Done.' },
    ],
  })
  const running = project.start(run)
  await until(() => {
    const folder = project.at('.cadre/workspaces')
    return (
      existsSync(folder) && readdirSync(folder).some((name) => existsSync(path.join(folder, name, 'reached')))
    )
  })
  running.child.kill('SIGKILL')
  await running.ended()
  const id = only(project, 'lead')
  const waiting = await project.cadre(['resume', id, '--model', 'scripted:p.yaml', '--json'])
  expect(waiting.code, waiting.stderr).toBe(3)
  const log = git(project, 'log', '--format=%s|%(trailers:key=In-Doubt,valueonly)', `main..cadre/${id}`)
  expect(log).toMatch(/^Changes left behind by interrupted calls: \S+\|yes/)
  expect(git(project, 'show', `cadre/${id}:half.txt`)).toBe('half\n')
})

test('if a workspace cannot be created, the session reports it and asks, regardless of permissions', async () => {
  const project = createTeam({ lead: [{ calls: [write('x.txt', 'x')] }, { reply: 'Done.' }] })
  project.write('bin/.keep', '')
  const node = path.dirname(process.execPath)
  const ran = await project.cadre([...run, '--trust'], {
    env: { PATH: `${project.at('bin')}:${existsSync(path.join(node, 'git')) ? '' : node}` },
  })
  expect(ran.code, ran.stderr).toBe(3)
  expect(ran.json().find(({ type }) => type === 'notice.added')).toMatchObject({
    notice: { code: 'isolation', message: expect.stringContaining('git is not in PATH') },
  })
  expect(project.exists('x.txt')).toBe(false)
})
