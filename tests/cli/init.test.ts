import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync } from 'node:fs'
import { lintFolder, listTeams, loadAgents, loadTeam } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { readShippedHooks } from '@cadre/gate'
import { expect, onTestFinished } from 'vitest'
import { sampled } from '../support/amount.ts'
import { bin } from './support/cadre.ts'
import { createProject } from './support/project.ts'

const test = sampled(3)

const speak = { lanes: { '*': { default: { reply: 'I am {{agent}}.' } } } }
const agents = (project: ReturnType<typeof createProject>) =>
  project.listing().flatMap((line) => /^\.github\/agents\/(\S+\.agent\.md) /.exec(line)?.[1] ?? [])

/** The status of each file. */
const statuses = ([line]: Record<string, unknown>[]) =>
  (line!['files'] as { status: string }[]).map(({ status }) => status)

test('without a team, lists the teams and writes nothing', async () => {
  const project = createProject()
  const { code, stdout } = await project.cadre(['init'])
  expect(code).toBe(0)
  for (const name of ['coordinator', 'explorers', 'operators', 'planner', 'supervisor'])
    expect(stdout).toMatch(new RegExp(`^${name}\\n  \\S`, 'm'))
  expect(stdout).toContain('coordinator/advanced: seven agents')
  expect(stdout).toContain('cadre init --team NAME')
  const [listed] = (await project.cadre(['init', '--json'])).json()
  expect(listed).toMatchObject({ type: 'teams', teams: expect.any(Array) })
  expect(listed?.['teams']).toContainEqual(expect.objectContaining({ name: 'planner', entry: 'Plan' }))
  expect(project.listing()).toEqual([])
})

test('writes a team as working files, and the printed next command works', async () => {
  const project = createProject({ 'p.yaml': speak })
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  const { code, stdout, stderr } = await project.cadre(['init', '--team', 'supervisor'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(agents(project)).toHaveLength(7)
  expect(stdout).toContain(`created  ${project.at('.github/agents/supervisor.agent.md')}`)
  expect(stdout).toContain('All agents in this project can now write in the workspace without approval.')
  expect(project.read('.cadre/config.yaml')).toContain('entry: supervisor')
  const next = /^ {2}cadre (run) "(.+)"$/m.exec(stdout)
  const run = await project.cadre([next![1]!, '--json', '--model', 'scripted:p.yaml', next![2]!])
  expect(run.stderr).toBe('')
  expect(run.json().at(-1)).toMatchObject({ agent: 'supervisor', text: 'I am supervisor.' })
  const session = project.read(`.cadre/sessions/${run.json().at(-1)?.['session']}.session.yaml`)
  // From the file, not from the built-in team.
  expect(session).toContain('.github/agents/supervisor.agent.md')
  expect(session).toContain('vision-operator')
  // The agents are part of the project, the home is not.
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: project.path, encoding: 'utf8' })
  expect(status).toContain('.github/')
  expect(status).not.toContain('.cadre')
})

test('trusts a team’s unchanged hooks, but no other file in the folder', async () => {
  const hooks = '.github/hooks/copilot-hooks.json'
  const untrusted = async (project: ReturnType<typeof createProject>) => {
    const { stderr } = await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
    return stderr.includes('this folder is not trusted')
  }
  const project = createProject({ 'p.yaml': speak })
  expect((await project.cadre(['init', '--team', 'supervisor'])).code).toBe(0)
  expect(await untrusted(project)).toBe(false)
  // A file that only a script imports.
  const imported = '.github/hooks/scripts/tool-call.mjs'
  const text = project.read(imported)
  project.write(imported, `${text}\n// changed\n`)
  expect(await untrusted(project)).toBe(true)
  expect((await project.cadre(['init', '--team', 'supervisor', '--force'])).code).toBe(0)
  expect(await untrusted(project)).toBe(false)

  const other = createProject({
    'p.yaml': speak,
    '.github/hooks/mine.json': { hooks: { SessionStart: [{ type: 'command', command: 'touch pwned' }] } },
  })
  expect((await other.cadre(['init', '--team', 'supervisor'])).code).toBe(0)
  expect(await untrusted(other)).toBe(true)
  expect(other.exists('pwned')).toBe(false)

  // Cloned files that are identical to the team's files count as written by init.
  const cloned = createProject({ 'p.yaml': speak })
  for (const { path, text } of readShippedHooks()) cloned.write(path, text)
  expect(await untrusted(cloned)).toBe(true)
  expect((await cloned.cadre(['init', '--team', 'supervisor'])).code).toBe(0)
  expect(await untrusted(cloned)).toBe(false)
  cloned.write(hooks, cloned.read(hooks).replace('security-check.mjs', 'other.mjs'))
  expect((await cloned.cadre(['init', '--team', 'supervisor'])).code).toBe(2)
  expect(await untrusted(cloned)).toBe(true)
})

test('writes templates to the home', async () => {
  const project = createProject({ 'p.yaml': speak })
  const { stdout } = await project.cadre(['init', '--team', 'operators', '--home', 'ops'])
  expect(project.exists('ops/templates/planner-001.agent.yaml')).toBe(true)
  expect(project.read('ops/inbox/routes.yaml')).toContain('to: planner-001')
  expect(project.exists('.github')).toBe(false)
  expect(stdout).toMatch(/^ {2}cadre run --home ops "/m)
  const run = await project.cadre(['run', '--home', 'ops', '--json', '--model', 'scripted:p.yaml', 'x'])
  expect(run.stderr).toBe('')
  expect(run.json().at(-1)).toMatchObject({ agent: 'planner-001' })
})

test('every variant of every team can be written, and its files match the team', async () => {
  const forms = listTeams().flatMap(({ name, variants }) => variants.map((one) => [name, one.name] as const))
  expect(forms).toHaveLength(9)
  for (const [name, variant] of forms) {
    const project = createProject()
    const made = await project.cadre(['init', '--json', '--team', name, '--variant', variant])
    const team = loadTeam(name, variant)
    expect(made.json()).toMatchObject([{ team: name, variant, entry: team.entry, notices: [] }])
    const { agents: written, diagnostics } = await loadAgents({
      project: project.path,
      home: project.at('.cadre'),
    })
    expect(diagnostics).toEqual([])
    const { summary } = await lintFolder(project.path, { cwd: project.path })
    expect(summary, name).toMatchObject({ failed: 0, rescued: 0, errors: 0, warnings: 0 })
    const plain = (all: readonly AgentDefinition[]) =>
      all.map(({ source: _, ...agent }) => agent).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    expect(plain(written)).toEqual(plain(team.agents))
  }
})

test.each([
  ['supervisor', 'claude', '.claude/agents'],
  ['explorers', 'template', '.cadre/templates'],
  ['planner', 'opencode', '.opencode/agent'],
  ['operators', 'copilot', '.github/agents'],
])('the team %s can also be written for %s', async (team, to, folder) => {
  const project = createProject({ 'p.yaml': speak })
  const made = await project.cadre(['init', '--json', '--team', team, '--to', to])
  expect(made.code).toBe(0)
  const paths = (made.json()[0]!['files'] as { path: string }[]).map(({ path }) => path)
  const ships = ['supervisor', 'coordinator', 'explorers'].includes(team)
  const isHook = /\/(?:\.github\/hooks|scripts)\/|\/\.claude\/settings\.json$/
  expect(paths.filter((path) => !path.startsWith(project.at(folder)) && !isHook.test(path))).toEqual([
    project.at('.cadre/config.yaml'),
    ...(ships ? [project.at('.cadre/storage/policy.yaml')] : []),
    ...(team === 'operators' ? [project.at('.cadre/inbox/routes.yaml')] : []),
  ])
  const run = await project.cadre(['run', '--json', '--model', 'scripted:p.yaml', 'x'])
  expect(run.stderr).toBe('')
  expect(run.json().at(-1)).toMatchObject({ agent: made.json()[0]!['entry'], status: 'completed' })
})

test('renames tools for the program that a team is written for, and reports each change', async () => {
  const project = createProject()
  const { stderr } = await project.cadre(['init', '--team', 'supervisor', '--to', 'claude'])
  expect(stderr).toMatch(/builder: .*execute → Bash/)
  expect(project.read('.claude/agents/builder.md')).toContain(
    '\ntools: Read, Grep, Glob, Edit, Write, NotebookEdit, Bash\n',
  )
  const copilot = await project.cadre(['init', '--team', 'explorers', '--to', 'copilot', '--dry-run'])
  expect(copilot.stderr).toContain('Explore: Copilot CLI does not load an agent with several models')
})

test('a dry run reports what would be done, and does nothing', async () => {
  const project = createProject()
  const { stdout } = await project.cadre(['init', '--team', 'planner', '--dry-run'])
  expect(stdout).toMatch(/created +\S+Plan\.agent\.md/)
  expect(stdout).not.toContain('Next:')
  expect(project.listing()).toEqual([])
})

test('files that differ are never changed without --force, and then nothing is written', async () => {
  const project = createProject({
    '.github/agents/Plan.agent.md': '---\nname: Plan\n---\nmine\n',
    '.github/agents/Agent.agent.md': 'mine, too\n',
  })
  const before = project.listing()
  const { code, stdout, stderr } = await project.cadre(['init', '--team', 'planner'])
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(
    /nothing was written: \S+Plan\.agent\.md: It already exists and differs\. Replace it with --force; \S+Agent\.agent\.md: /,
  )
  expect(stderr).toContain('--force')
  expect(project.listing()).toEqual(before)
  const planned = await project.cadre(['init', '--team', 'planner', '--dry-run', '--json'])
  expect(statuses(planned.json())).toEqual(['conflict', 'created', 'conflict', 'created', 'created'])
  const forced = await project.cadre(['init', '--team', 'planner', '--force', '--json'])
  expect(statuses(forced.json())).toContain('replaced')
  expect(project.read('.github/agents/Plan.agent.md')).toContain('You plan.')
})

test('repeating it has no effect, with any line endings', async () => {
  const project = createProject()
  await project.cadre(['init', '--team', 'planner'])
  project.write(
    '.github/agents/Plan.agent.md',
    project.read('.github/agents/Plan.agent.md').replaceAll('\n', '\r\n'),
  )
  const before = project.listing()
  const { code, json } = await project.cadre(['init', '--team', 'planner', '--json'])
  expect(code).toBe(0)
  expect(new Set(statuses(json()))).toEqual(new Set(['unchanged']))
  expect(project.listing()).toEqual(before)
})

test('existing settings are kept, and the next command names the agent', async () => {
  const project = createProject({
    '.cadre/config.yaml': '# mine\nmodel: scripted:../p.yaml\n',
    'p.yaml': speak,
  })
  const { stdout } = await project.cadre(['init', '--team', 'explorers'])
  expect(stdout).toMatch(/kept +\S+config\.yaml/)
  expect(stdout).toMatch(/^ {2}cadre run --agent lead "/m)
  expect(project.read('.cadre/config.yaml')).toBe('# mine\nmodel: scripted:../p.yaml\n')
  const broken = createProject({ '.cadre/config.yaml': 'entri: x\n' })
  const refused = await broken.cadre(['init', '--team', 'explorers'])
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(/config\.yaml:1/)
  expect(broken.exists('.github')).toBe(false)
})

test('if one file cannot be written, none is', async () => {
  const project = createProject({ '.github/agents/x.txt': '' })
  // A folder is in the place of a file.
  mkdirSync(project.at('.github/agents/CVE_Remediator.agent.md'))
  const before = project.listing()
  const { code, stderr } = await project.cadre(['init', '--team', 'planner'])
  expect(code).toBe(2)
  expect(stderr).toContain('CVE_Remediator.agent.md')
  expect(project.listing()).toEqual(before)
  if (process.getuid?.() === 0) return
  const locked = createProject({ '.github/agents/x.txt': '' })
  chmodSync(locked.at('.github/agents'), 0o500)
  expect((await locked.cadre(['init', '--team', 'planner'])).code).toBe(2)
  chmodSync(locked.at('.github/agents'), 0o700)
  expect(agents(locked)).toEqual([])
})

test('reports an agent with the same name that takes precedence over the new file', async () => {
  const project = createProject({
    '.cadre/templates/builder.agent.yaml': { id: 'builder', description: 'Mine', system_prompt: 'Build.' },
  })
  const { code, stderr } = await project.cadre(['init', '--team', 'supervisor'])
  expect(code).toBe(0)
  expect(stderr).toMatch(/builder\.agent\.md:\d+: builder is also defined in \S+builder\.agent\.yaml/)
})

test.each([
  [['--team', 'supervisr'], /Did you mean supervisor\?/],
  [['--team', 'coordinator', '--variant', 'x'], /no variant "x".*Known: standard/],
  [['--team', 'coordinator/minimal', '--variant', 'advanced'], /already names a variant/],
  [['--variant', 'advanced'], /--team/],
])('rejects init %j', async (flags, message) => {
  const project = createProject()
  const { code, stderr } = await project.cadre(['init', ...flags])
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
  expect(project.listing()).toEqual([])
})

// `script` of util-linux runs a command in a new terminal; other systems have a different program with that name.
const hasScript = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')

test.runIf(hasScript)('in a terminal it asks which team, and Enter writes nothing', async () => {
  const answer = async (keys: string) => {
    const project = createProject()
    const child = spawn('script', ['-qec', `'${process.execPath}' '${bin}' init`, '/dev/null'], {
      cwd: project.path,
      env: { PATH: process.env['PATH'], HOME: project.path, TERM: 'xterm' },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let screen = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const before = screen.includes('Team to add')
      screen += text
      if (!before && screen.includes('Team to add')) child.stdin.write(keys)
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { project, code, screen }
  }
  const chosen = await answer('planner\r')
  expect(chosen.screen).toContain('Added the team planner')
  expect(agents(chosen.project)).toContain('Plan.agent.md')
  const none = await answer('\r')
  expect(none.code).toBe(0)
  expect(none.project.listing()).toEqual([])
  const wrong = await answer('nobody\r')
  expect(wrong.code).toBe(2)
  expect(wrong.screen).toContain('no team named "nobody"')
})
