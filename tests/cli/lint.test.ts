import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createProject, type Project } from './support/project.ts'

interface Linted {
  readonly files: readonly {
    readonly path: string
    readonly dialect: string
    readonly status: string
    readonly agent?: string
    readonly diagnostics: readonly Record<string, unknown>[]
    readonly hosts?: Record<string, readonly Record<string, unknown>[]>
    readonly fix?: Record<string, unknown>
  }[]
  readonly summary: Record<string, number>
}

const lintedIn = (lines: Record<string, unknown>[]) => lines[0] as unknown as Linted
const agent = (keys: string) => `---\n${keys}\n---\nDo it.\n`
const lead = '.github/agents/lead.agent.md'
const good = 'name: lead\ndescription: Leads'

describe('checking', () => {
  test('reports what is wrong, where and what to do, and exits with 1 on an error', async () => {
    const project = createProject({
      [lead]: agent(`${good}\ntools:\n  - read\n  - edti`),
      '.claude/agents/worker.md': 'Just text.\n',
    })
    const before = project.listing()
    const { code, stdout, stderr } = await project.cadre(['lint'])
    expect(stdout).toMatch(/^\.claude\/agents\/worker\.md:1 error header-missing .+\n {4}\S/m)
    expect(stdout).toMatch(
      /^\.github\/agents\/lead\.agent\.md:6 warning tool-unknown .*\. Did you mean edit/m,
    )
    expect(stdout).toMatch(/^2 files: 1 ok, 0 rescued, 1 failed · 1 error, 1 warning, 0 infos$/m)
    expect(stdout).not.toContain('\x1b')
    expect(stderr).toBe('')
    expect(code).toBe(1)
    expect(project.listing()).toEqual(before)
  })

  test('exits with 0 if there are only warnings', async () => {
    const project = createProject({ [lead]: agent(`${good}\ntools: [edti]`) })
    expect((await project.cadre(['lint'])).code).toBe(0)
    const empty = await createProject({ 'README.md': '# Hello\n' }).cadre(['lint'])
    expect(empty.stdout).toMatch(/^No agent files found\. To check other Markdown files, name them .+\n$/)
    expect(empty.code).toBe(0)
  })

  test('checks files in unusual places only if they are named', async () => {
    const project = createProject({
      [lead]: agent(good),
      'agents/notes.md': 'Just text.\n',
      'x.md': agent(good),
    })
    const paths = async (...named: string[]) =>
      lintedIn((await project.cadre(['lint', '--json', ...named])).json()).files.map(({ path }) => path)
    expect(await paths()).toEqual([lead])
    expect(await paths('agents')).toEqual(['agents/notes.md'])
    expect(await paths('x.md')).toEqual(['x.md'])
  })

  test('the severity to show, and to fail on, can be chosen', async () => {
    const project = createProject({ [lead]: agent(`${good}\ntools: [edti, vscodeAPI]`) })
    const normal = await project.cadre(['lint'])
    expect(normal.stdout).toContain('warning tool-unknown')
    expect(normal.stdout).not.toContain('info tool-elsewhere')
    expect(normal.stdout).toMatch(/1 warning, 1 info; show everything with --level info$/m)
    expect((await project.cadre(['lint', '--level', 'info'])).stdout).toContain('info tool-elsewhere')
    const quiet = await project.cadre(['lint', '--quiet', '--strict'])
    expect(quiet.stdout).toMatch(/^1 file: 1 ok.*\n$/)
    expect(quiet.code).toBe(1)
    const machine = await project.cadre(['lint', '--quiet', '--json'])
    expect(lintedIn(machine.json()).files[0]?.diagnostics).toHaveLength(2)
    expect(machine.code).toBe(0)
  })

  test('fails if a requested host rejects a file', async () => {
    const project = createProject({ [lead]: agent(`${good}\nmodel: [gpt-5, o3]`) })
    expect((await project.cadre(['lint'])).code).toBe(0)
    expect((await project.cadre(['lint', '--host', 'vscode'])).code).toBe(0)
    expect((await project.cadre(['lint', '--host', 'vscode,copilot-cli'])).code).toBe(1)
  })

  test('fails for settings without a usable agent, and for a link that points outside', async () => {
    const project = createProject({
      '.vscode/settings.json': '{"copilotMultiAgent": {"version": 1, "agents": [{"name": 3}]}}',
      'outside/a.agent.md': agent(good),
      'p/.github/agents/b.agent.md': agent('name: b\ndescription: d'),
    })
    const { files, summary } = lintedIn((await project.cadre(['lint', '--json', '.vscode'])).json())
    expect(files).toMatchObject([{ status: 'failed' }])
    expect(summary['errors']).toBeGreaterThan(0)
    symlinkSync(project.at('outside/a.agent.md'), project.at('p/.github/agents/a.agent.md'))
    const linked = await project.cadre(['lint', 'p'])
    expect(linked.stdout).toMatch(/^2 files: 1 ok, 0 rescued, 1 failed · 1 error/m)
    expect(linked.code).toBe(1)
  })

  test('warns about a template without a description, like doctor', async () => {
    const project = createProject({ '.cadre/templates/t.agent.yaml': 'id: t\nsystem_prompt: x\n' })
    expect((await project.cadre(['lint', '.cadre'])).stdout).toMatch(/warning description-missing/)
    expect((await project.cadre(['doctor'])).stdout).toMatch(/^warn +agents +.*description/m)
  })

  test('prints JSON with --json', async () => {
    const project = createProject({
      [lead]: agent(`${good}\ncolor: blue\nuser-invokable: true`),
      '.cadre/templates/t.agent.yaml': 'id: t\ndescription: d\nsystem_prompt: x\n',
    })
    const { code, json } = await project.cadre(['lint', '--json'])
    const { files, summary } = lintedIn(json())
    expect(summary).toEqual({
      files: 2,
      ok: 2,
      rescued: 0,
      failed: 0,
      errors: 0,
      warnings: 1,
      infos: 0,
    })
    expect(files[0]).toEqual({
      path: '.cadre/templates/t.agent.yaml',
      dialect: 'template',
      status: 'ok',
      agent: 't',
      diagnostics: [],
    })
    expect(files[1]).toMatchObject({ path: lead, dialect: 'copilot', status: 'ok', agent: 'lead' })
    expect(files[1]?.diagnostics).toEqual([
      {
        severity: 'warning',
        code: 'user-invokable',
        line: 5,
        message: expect.any(String),
        fix: expect.any(String),
      },
    ])
    expect(Object.keys(files[1]?.hosts ?? {})).toEqual([
      'vscode',
      'copilot-harness',
      'copilot-cli',
      'github',
      'claude',
      'opencode',
    ])
    expect(files[1]?.hosts?.['vscode']).toEqual([
      { key: 'color', effect: 'ignored' },
      { key: 'user-invokable', effect: 'ignored', note: expect.any(String) },
    ])
    expect(code).toBe(0)
  })

  test('prints a table of host differences, for all or some hosts', async () => {
    const project = createProject({ [lead]: agent(`${good}\nmodel: [gpt-5, o3]\nhandoffs: []`) })
    const all = await project.cadre(['lint'])
    expect(all.stdout).toMatch(/^rejects +model +1 +copilot-harness, copilot-cli +expects one model/m)
    expect(all.stdout).toMatch(
      /^ignored +handoffs +1 +copilot-harness, copilot-cli, github\n {4}\.github\/agents\/lead\.agent\.md$/m,
    )
    expect(all.stdout).not.toMatch(/opencode|claude/)
    const one = await project.cadre(['lint', '--host', 'opencode'])
    expect(one.stdout).toMatch(/^ignored +whole file +1 +opencode/m)
    expect(one.stdout).not.toMatch(/copilot-cli/)
    const json = lintedIn((await project.cadre(['lint', '--json', '--host', 'github, claude'])).json())
    expect(Object.keys(json.files[0]?.hosts ?? {})).toEqual(['github', 'claude'])
  })

  test('accepts folders and files, or none', async () => {
    const project = createProject({
      [lead]: agent(`${good}\nagents: [worker]`),
      '.github/agents/worker.agent.md': agent('name: worker\ndescription: d'),
      'SKILL.md': agent('description: d\ntools: [read]'),
    })
    const paths = async (...args: string[]) =>
      lintedIn((await project.cadre(['lint', '--json', ...args])).json()).files.map(({ path }) => path)
    expect(await paths(lead)).toEqual([lead])
    expect(await paths('SKILL.md')).toEqual(['SKILL.md'])
    expect(await paths('.github', lead)).toEqual([lead, '.github/agents/worker.agent.md'])
    expect((await project.cadre(['lint', lead])).stdout).not.toContain('agent-missing')
    mkdirSync(project.at('.git'))
    mkdirSync(project.at('src'))
    const below = await project.cadre(['lint', '--json'], { cwd: project.at('src') })
    expect(lintedIn(below.json()).files.map(({ path }) => path)).toContain(project.at(lead))
  })

  test.each([
    [['lint', 'nowhere'], '/nowhere does not exist. Specify an existing file'],
    [['lint', '--host', 'vscod'], 'unknown host "vscod". Did you mean vscode?'],
    [['lint', '--dry-run'], '--dry-run requires --fix'],
  ])('%j is a usage error', async (args, sentence) => {
    const { code, stderr } = await createProject().cadre(args)
    expect(stderr).toContain(sentence)
    expect(code).toBe(2)
  })

  test('reports an invalid configuration, and still checks agents', async () => {
    const project = createProject({ [lead]: agent(good), '.cadre/config.yaml': 'limits: many\n' })
    const { code, stdout, stderr } = await project.cadre(['lint'])
    expect(stderr).toMatch(/config\.yaml:1/)
    expect(stdout).toContain('1 file: 1 ok')
    expect(code).toBe(0)
  })

  test('knows the models of a configured backend, and no others', async () => {
    const project = createProject({
      [lead]: agent(`${good}\nmodel: smal`),
      '.github/agents/b.agent.md': agent('name: b\ndescription: d\nmodel: small'),
      'p.yaml': { models: { small: {} }, lanes: { '*': [{ reply: 'x' }] } },
    })
    const { stdout } = await project.cadre(['lint'], { env: { CADRE_MODEL: 'scripted:p.yaml' } })
    expect(stdout.match(/warning model-unknown .*/g)).toEqual([expect.stringContaining('"smal"')])
  })
})

describe('--fix', () => {
  const old = agent(`# mine\n${good} # short\nuser-invokable: true\nx-own: {b: 1,a: 2}`)
  const mended = old.replace('invokable', 'invocable')

  test('shows its changes, keeps everything else, and is idempotent', async () => {
    const project = createProject({ [lead]: `\ufeff${old}` })
    chmodSync(project.at(lead), 0o640)
    const dry = await project.cadre(['lint', '--fix', '--dry-run'])
    expect(dry.stdout).toContain(`${lead}: would be fixed`)
    expect(project.read(lead)).toBe(`\ufeff${old}`)
    const { code, stdout } = await project.cadre(['lint', '--fix'])
    expect(stdout).toMatch(/^-<BOM>---$/m)
    expect(stdout).toMatch(/^\+---$/m)
    expect(stdout).toMatch(/^-user-invokable: true$/m)
    expect(stdout).toMatch(/^\+user-invocable: true$/m)
    expect(stdout).toMatch(/1 file: 1 ok, 0 rescued/)
    expect(code).toBe(0)
    expect(project.read(lead)).toBe(mended)
    expect(statSync(project.at(lead)).mode & 0o777).toBe(0o640)
    const again = project.listing()
    expect((await project.cadre(['lint', '--fix'])).stdout).not.toContain('fixed')
    expect(project.listing()).toEqual(again)
  })

  test('includes the change with the file in --json', async () => {
    const project = createProject({ [lead]: old })
    const { json } = await project.cadre(['lint', '--fix', '--dry-run', '--json'])
    expect(lintedIn(json()).files[0]?.fix).toEqual({
      written: false,
      diff: expect.stringContaining('+user-invocable: true'),
    })
  })

  test('the diff shows no key', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
    const keys = `${good}\nuser-invokable: true\nmcp-servers:\n  x:\n    env:\n      TOKEN: ${secret}\n      API_KEY: abcdef0123456789xyz`
    const project = createProject({ [lead]: agent(keys) })
    for (const flags of [[], ['--json']]) {
      const { stdout } = await project.cadre(['lint', '--fix', '--dry-run', ...flags])
      expect(stdout).toContain('user-invocable')
      expect(stdout).not.toMatch(/ghp_|abcdef0123456789xyz/)
    }
  })

  test('never writes outside the folder, or through a link that points outside', async () => {
    const project = createProject({ 'outside/a.agent.md': old, 'p/.github/agents/b.agent.md': old })
    symlinkSync(project.at('outside/a.agent.md'), project.at('p/.github/agents/a.agent.md'))
    symlinkSync(project.at('outside'), project.at('p/agents'))
    const { stdout } = await project.cadre(['lint', 'p', '--fix'])
    expect(stdout).toContain('link-outside')
    expect(project.read('outside/a.agent.md')).toBe(old)
    expect(project.read('p/.github/agents/b.agent.md')).toBe(mended)
    const named = await project.cadre(['lint', 'p/.github/agents/a.agent.md', '--fix'])
    expect(named.stdout).toContain('not changed: the file is a link that points outside')
    expect(project.read('outside/a.agent.md')).toBe(old)
  })

  test('git sees one changed line afterwards', async () => {
    const project: Project = createProject({ [lead]: old })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: project.path, encoding: 'utf8' })
    git('init', '-q')
    git('add', '.')
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'x')
    await project.cadre(['lint', '--fix'])
    expect(git('diff', '--stat')).toMatch(/1 file changed, 1 insertion\(\+\), 1 deletion\(-\)/)
    expect(git('status', '--short').trim()).toBe(`M ${lead}`)
  })
})
