import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { sampled, share } from '../support/amount.ts'
import { createHostileHome, git, type HostileHome } from './support/hostile-home.ts'
import { createProject, type Project } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'
import { until } from './support/until.ts'

const test = sampled(3)
const limit = { timeout: 240_000 }

const looks: readonly (readonly string[])[] = [
  ['run', 'x'],
  ['run', '--json', '--allow', 'write', '--allow', 'execute', '--no-human', 'x'],
  ['run', '--model', 'openai:gpt-5', 'x'],
  ['run', '--agent', 'evil', 'x'],
  ['chat'],
  ['lint'],
  ['status'],
  ['agents', 'list'],
  ['doctor'],
  ['sessions', 'list'],
  ['sessions', 'list', '--json'],
  ['hooks', 'list'],
  ['tasks'],
  ['tasks', 'SELECT * FROM .cadre/tasks/*.task.md'],
  ['workspace', 'list'],
  ['policy', 'explain', '--tool', 'execute_command', '--input', '{"command":"touch x"}'],
]

const refused = (session: string): readonly (readonly string[])[] => [
  ['up'],
  ['up', '--detach'],
  ['down'],
  ['resume', session],
  ['resume', session, 'go on'],
  ['sessions', 'resume', session],
  ['sessions', 'answer', session, 'approval/x', 'approve'],
  ['sessions', 'cancel', session],
  ['sessions', 'import', '.cadre/agents/evil-001.agent.md'],
  ['chat', '--resume', session],
  ['chat', '--resume', ''],
  ['approvals'],
  ['approve', 'x'],
  ['reject', 'x'],
  ['tasks', "UPDATE .cadre/tasks/evil.task.md SET state = 'done' WHERE id = 'evil-1'"],
  ['tasks', "INSERT INTO .cadre/tasks/evil.task.md SET title = 'x'"],
  ['workspace', 'merge', session],
  ['workspace', 'clean'],
  ['workspace', 'rollback', '--all'],
]

/** Shows every change that a command makes in another user's project. */
const filesOf = (project: Project) => project.listing().filter((name) => !name.startsWith('.git/'))

async function expectHarmless(hostile: HostileHome, project: Project, every = 3): Promise<void> {
  const before = filesOf(project)
  const [session = ''] = project.exists('.cadre/sessions')
    ? readdirSync(project.at('.cadre/sessions')).map((name) => name.replace(/\.session\.yaml$/, ''))
    : []
  for (const line of share(looks, every)) {
    const { code, stderr } = await hostile.cadre(project, line)
    expect(hostile.marks(), line.join(' ')).toEqual([])
    expect(filesOf(project), line.join(' ')).toEqual(before)
    expect(code, `${line.join(' ')}: ${stderr}`).not.toBe(70)
  }
  for (const line of share(refused(session), every)) {
    const { code, stderr } = await hostile.cadre(project, line)
    expect([code, stderr], line.join(' ')).toEqual([
      2,
      expect.stringContaining('this home directory is not trusted'),
    ])
    expect(hostile.marks(), line.join(' ')).toEqual([])
    expect(filesOf(project), line.join(' ')).toEqual(before)
  }
}

test(
  'in a clone with a hostile home no command runs, decides, configures or changes anything',
  limit,
  async () => {
    const hostile = await createHostileHome()
    const project = hostile.clone()
    await expectHarmless(hostile, project)
    const run = await hostile.cadre(project, ['run', 'x'])
    expect(run.code, run.stderr).toBe(0)
    expect(run.stdout).toContain('Read it.')
    expect(run.stderr).toMatch(
      /\.cadre contains 1 session, 2 task files, .*1 agent template, 1 memory file, 1 inbox file, config\.yaml \(model, aliases, entry, tools, check\), routes\.yaml, .*not created by you on this machine/,
    )
    expect(run.stderr).toContain('contains a hook that runs files in this project')
    expect(run.stderr).toMatch(
      /PATH entries inside this project are ignored until you trust it: .*node_modules\/\.bin/,
    )
    const listed = await hostile.cadre(project, ['sessions', 'list'])
    expect(listed.stdout).toContain('evil-')
    // Its records are in the user's own folder.
    expect(readdirSync(hostile.user.at('.local/state/cadre/untrusted'))).toHaveLength(1)
  },
)

test(
  'the same home runs everything once it is trusted, so that the markers mean something',
  limit,
  async () => {
    const hostile = await createHostileHome()
    const project = hostile.clone()
    const plain = { env: { PATH: process.env['PATH'] ?? '' } }
    const run = await hostile.cadre(project, ['run', '--trust', 'x'], plain)
    expect(hostile.marks(), run.stderr).toEqual(
      expect.arrayContaining(['npm-script', 'template-hook', 'tool', 'user-hook']),
    )
    expect(project.exists('ran-model'), run.stdout).toBe(true)
    await hostile.cadre(project, ['run', '--trust', 'x'])
    expect(hostile.marks()).toContain('path-bash')
    onTestFinished(async () => void (await hostile.cadre(project, ['down', '--trust'], plain)))
    const up = await hostile.cadre(project, ['up', '--detach', '--trust'], plain)
    expect(up.code, up.stderr).toBe(0)
    await until(() => project.exists('ran-approved'))
  },
)

test('pulled files in the user’s own home are not trusted automatically', limit, async () => {
  const hostile = await createHostileHome()
  const origin = createProject({ 'readme.txt': 'A harmless project.\n' })
  git(origin.path, 'init', '-q', '-b', 'main')
  git(origin.path, 'add', '-A')
  git(origin.path, 'commit', '-q', '-m', 'first')
  const project = createProject()
  git(project.path, 'clone', '-q', origin.path, '.')
  // The user's own home, created by the command, with its own git repository.
  expect((await hostile.cadre(project, ['run', 'x'])).code).toBe(0)
  project.write('.cadre/config.yaml', { entry: 'own' })
  project.write('.cadre/templates/own.agent.yaml', { id: 'own', system_prompt: 'You are own.' })
  const own = await hostile.cadre(project, ['run', '--json', 'x'])
  expect([own.code, own.json().find(({ type }) => type === 'session.started')]).toMatchObject([
    0,
    { agent: 'own' },
  ])
  git(project.path, '-C', '.cadre', 'init', '-q')
  rmSync(project.at('.cadre/config.yaml'))
  rmSync(project.at('.cadre/storage'), { recursive: true, force: true })
  hostile.plant(origin)
  git(origin.path, 'add', '-A', '-f')
  git(origin.path, 'commit', '-q', '-m', 'more')
  git(project.path, 'pull', '-q')
  expect(project.exists('.cadre/config.yaml')).toBe(true)
  await expectHarmless(hostile, project, 9)
  expect((await hostile.cadre(project, ['up'])).stderr).toContain("files that the project's git tracks")
})

test('a daemon stops when a pull adds files to its home, before it acts on them', limit, async () => {
  const hostile = await createHostileHome()
  const origin = createProject({ 'readme.txt': 'A harmless project.\n' })
  git(origin.path, 'init', '-q', '-b', 'main')
  git(origin.path, 'add', '-A')
  git(origin.path, 'commit', '-q', '-m', 'first')
  const project = createProject()
  git(project.path, 'clone', '-q', origin.path, '.')
  expect((await hostile.cadre(project, ['run', 'x'])).code).toBe(0)
  const daemon = project.start(['up', '--allow', 'execute', '--allow', 'write'], { env: hostile.env })
  await daemon.until((stdout) => stdout.includes('Watching'))
  rmSync(project.at('.cadre/storage/requests'), { recursive: true, force: true })
  hostile.plant(origin)
  git(origin.path, 'add', '-A', '-f')
  git(origin.path, 'commit', '-q', '-m', 'more')
  git(project.path, 'pull', '-q')
  const { code, stderr } = await daemon.ended()
  expect([code, stderr]).toEqual([2, expect.stringContaining("files that the project's git tracks")])
  expect(hostile.marks()).toEqual([])
})

test.skipIf(!hasScript)('a yes adopts a foreign home, until git changes something', limit, async () => {
  const hostile = await createHostileHome()
  const project = hostile.clone()
  rmSync(hostile.user.at('.claude'), { recursive: true })
  // The user's own rule, which also applies without a sandbox.
  hostile.user.write('.config/cadre/policy.yaml', { effects: { execute: 'allow' } })
  const env = { ...hostile.env }
  const terminal = openTerminal(project, ['run', 'x'], { env, isForeign: true, columns: 200 })
  await terminal.until((screen) => screen.includes('Enter to decide later'))
  expect(terminal.screen()).toMatch(/\.cadre\s+\S*contains 1 session, 2 task files/)
  expect(hostile.marks()).toEqual([])
  terminal.type('y\r')
  await terminal.ended()
  expect(project.exists('ran-model'), terminal.screen()).toBe(true)
  expect(statSync(hostile.user.at('.config/cadre/homes.jsonl')).mode & 0o777).toBe(0o600)
  const again = await hostile.cadre(project, ['sessions', 'cancel', 'evil'])
  expect(again.stderr).not.toContain('not trusted')
  hostile.upstream.write('.cadre/memory/evil.md', 'Something else.\n')
  git(hostile.upstream.path, 'commit', '-q', '-a', '-m', 'more')
  git(project.path, 'pull', '-q')
  expect((await hostile.cadre(project, ['up'])).stderr).toContain("files that the project's git tracks")
})

test.skipIf(!hasScript)(
  'a home of an earlier version asks once; manual edits in it apply immediately',
  limit,
  async () => {
    const user = createProject({ 'keep.txt': '' })
    const env = { HOME: user.path }
    const project = createProject({
      '.cadre/templates/lead.agent.yaml': { id: 'lead', description: 'd', system_prompt: 'You are lead.' },
      '.cadre/config.yaml': { model: 'scripted:p.yaml' },
      '.cadre/p.yaml': { lanes: { '*': { default: { reply: 'First.' } } } },
      '.cadre/q.yaml': { lanes: { '*': { default: { reply: 'Second.' } } } },
    })
    const up = await project.cadre(['up'], { env, isForeign: true })
    expect([up.code, up.stderr]).toEqual([
      2,
      expect.stringMatching(
        /contains 1 agent template, config\.yaml \(model\), not created by you.*--trust/s,
      ),
    ])
    const terminal = openTerminal(project, ['run', 'x'], { env, isForeign: true })
    await terminal.until((screen) => screen.includes('Enter to decide later'))
    terminal.type('y\r')
    expect(await terminal.ended()).toBe(0)
    const foreign = { env, isForeign: true }
    expect(await project.cadre(['run', '-q', 'x'], foreign)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: 'First.\n',
    })
    project.write('.cadre/config.yaml', { model: 'scripted:q.yaml', tools: ['hi.mjs'] })
    project.write('.cadre/hi.mjs', "process.stderr.write('loaded')\n")
    const edited = await project.cadre(['run', 'x'], { ...foreign, ownProcess: true })
    expect(edited.stdout).toContain('Second.')
    expect(edited.stderr).toMatch(/^loaded/)
    // Another folder at the same path is another home.
    renameSync(project.at('.cadre'), project.at('old'))
    mkdirSync(project.at('.cadre'))
    project.write('.cadre/config.yaml', { model: 'scripted:q.yaml' })
    const replaced = await project.cadre(['run', 'x'], foreign)
    expect(replaced.stderr).toContain('not created by you on this machine')
  },
)

test('a link to the user’s home, in a folder of another user, is not the user’s own', limit, async () => {
  const user = createProject({ 'own.yaml': { lanes: { '*': { default: { reply: 'Mine.' } } } } })
  const env = { HOME: user.path, CADRE_MODEL: `scripted:${user.at('own.yaml')}` }
  const own = createProject()
  const options = { env, isForeign: true }
  expect((await own.cadre(['run', 'x'], options)).code).toBe(0)
  expect((await own.cadre(['approvals'], options)).code).toBe(0)
  const other = createProject()
  symlinkSync(own.at('.cadre'), other.at('.cadre'))
  const refusal = await other.cadre(['approvals'], options)
  expect([refusal.code, refusal.stderr]).toEqual([2, expect.stringContaining('not created by you')])
  for (const args of [
    ['approvals', '--home', path.join(other.path, '.cadre')],
    ['approvals', '--home', './.cadre/'],
  ])
    expect((await other.cadre(args, options)).code, args.join(' ')).toBe(2)
  expect((await other.cadre(['approvals'], { ...options, env: { ...env, CADRE_TRUST: '1' } })).code).toBe(0)
})

test('records that cannot be written or trusted stop the command, with the reason', limit, async () => {
  const user = createProject({ 'own.yaml': { lanes: { '*': { default: { reply: 'Mine.' } } } } })
  const env = { HOME: user.path, CADRE_MODEL: `scripted:${user.at('own.yaml')}` }
  const options = { env, isForeign: true }
  const project = createProject()
  // Nobody can write there, not even root.
  const fixed = { env: { ...env, XDG_CONFIG_HOME: '/proc/self' }, isForeign: true }
  const blocked = await project.cadre(['run', 'x'], fixed)
  expect([blocked.code, blocked.stderr]).toEqual([
    2,
    expect.stringMatching(/homes\.jsonl: Cadre cannot record that you own a home directory.*--trust/),
  ])
  expect(project.exists('.cadre')).toBe(false)
  expect((await project.cadre(['run', '--trust', 'x'], fixed)).code).toBe(0)
  user.write('.config/cadre/homes.jsonl', 'not a record\n{"path": 1}\n')
  expect((await project.cadre(['up'], options)).stderr).toContain('not created by you')
  writeFileSync(user.at('.config/cadre/homes.jsonl'), '', { mode: 0o666 })
  chmodSync(user.at('.config/cadre/homes.jsonl'), 0o666)
  expect((await project.cadre(['up'], options)).stderr).toContain('other users can write this file')
})

test('only the owner can read what Cadre creates in a home', limit, async () => {
  const user = createProject({
    'own.yaml': {
      lanes: {
        '*': [{ calls: [{ tool: 'write_file', input: { path: 'x', content: 'x' } }] }, { reply: 'Done.' }],
      },
    },
  })
  const env = { HOME: user.path, CADRE_MODEL: `scripted:${user.at('own.yaml')}` }
  const project = createProject()
  const asked = await project.cadre(['run', 'x'], { env, isForeign: true })
  expect(asked.code).toBe(3)
  onTestFinished(async () => void (await project.cadre(['down'], { env, isForeign: true })))
  expect((await project.cadre(['up', '--detach'], { env, isForeign: true })).code).toBe(0)
  expect((await project.cadre(['down'], { env, isForeign: true })).code).toBe(0)
  const open = readdirSync(project.at('.cadre'), { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (name === '.git' || name.startsWith('.git/')) return false
    // On a busy machine, the daemon may still be deleting its own files.
    const stats = statSync(project.at('.cadre', name), { throwIfNoEntry: false })
    return stats !== undefined && (stats.mode & 0o077) !== 0
  })
  expect(open).toEqual([])
  expect(statSync(project.at('.cadre')).mode & 0o777).toBe(0o700)
})
