import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const agent = (name: string, more: object = {}) => ({
  name,
  systemPrompt: `You are ${name}.\n\n---\n\nSay: "yes", no more.`,
  description: `The ${name}: it does things`,
  useFor: `Whatever a ${name} is for`,
  delegationPermissions: { type: 'none' },
  toolPermissions: { type: 'specific', tools: ['reportOut'] },
  ...more,
})
const settings = {
  version: '1.0.0',
  entryAgent: 'coordinator',
  agents: [
    agent('writer', { icon: { colour: 'red' } }),
    agent('coordinator', { delegationPermissions: { type: 'specific', agents: ['writer', 'tester'] } }),
    agent('tester', { delegationPermissions: { type: 'all' }, toolPermissions: { type: 'all' } }),
  ],
}
const file = `---
# Who it is.
name:   reviewer   # with care
description: Reviews changes
tools: [ read, search ]
my-key: {a: 1}
---

You are a reviewer.
`

describe('cadre agents import', () => {
  test.each([
    ['copilot', (name: string) => `.github/agents/${name}.agent.md`],
    ['claude', (name: string) => `.claude/agents/${name}.md`],
    ['opencode', (name: string) => `.opencode/agent/${name}.md`],
    ['template', (name: string) => `.cadre/templates/${name}.agent.yaml`],
  ])('converts settings to %s and back without loss', async (to, at) => {
    const project = createProject({ 'team.json': settings })
    const imported = await project.cadre(['agents', 'import', 'team.json', '--to', to, '--names', 'keep'])
    expect(imported.stderr).toBe('')
    expect(imported.code).toBe(0)
    for (const { name } of settings.agents) {
      expect(project.exists(at(name))).toBe(true)
      expect(imported.stdout).toContain(`created ${at(name)}`)
    }
    expect(imported.stdout).toMatch(/note writer: .* ignores .*use.?for/i)
    const files = settings.agents.map(({ name }) => at(name)).toReversed()
    const back = await project.cadre(['agents', 'import', ...files, '--to', 'settings'])
    expect(back.stderr).toBe('')
    expect(back.code).toBe(0)
    expect(JSON.parse(project.read('.vscode/settings.json'))).toEqual({
      'copilotMultiAgent.entryAgent': 'coordinator',
      'copilotMultiAgent.agents': settings.agents,
    })
  })

  test('reports migrated values and defaults, with file and line', async () => {
    const project = createProject({
      'old.json':
        '{\n  // from long ago\n  "coordinator": { "systemPrompt": "You coordinate it all.", "description": "d", "toolPermissions": true, },\n  "customAgents": [],\n}',
    })
    const { code, stdout } = await project.cadre(['agents', 'import', 'old.json', '--to', 'copilot'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      `changed ${project.at('old.json')}:3: configuration.agents[0] was written as coordinator`,
    )
    expect(stdout).toContain(
      `changed ${project.at('old.json')}:3: configuration.agents[0].toolPermissions was true and is now "all".`,
    )
    expect(stdout).toContain(
      `changed ${project.at('old.json')}:1: configuration.version was missing and is now 1.0.0.`,
    )
    const json = await project.cadre(['agents', 'import', 'old.json', '--to', 'claude', '--json'])
    expect(json.json()[0]).toMatchObject({
      files: [{ path: project.at('.claude/agents/coordinator.md'), status: 'created' }],
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: 'settings-migrated', line: 3 })]),
    })
    const empty = createProject({ 'none.json': { agents: [] } })
    const { stdout: said } = await empty.cadre(['agents', 'import', 'none.json', '--to', 'copilot'])
    expect(said).toContain(`default ${empty.at('none.json')}:2: configuration.agents was empty`)
    expect(empty.exists('.github/agents/coordinator.agent.md')).toBe(true)
  })

  test('reports that settings take precedence over the new files', async () => {
    const project = createProject({ '.vscode/settings.json': { copilotMultiAgent: settings } })
    const { code, stdout } = await project.cadre([
      'agents',
      'import',
      '.vscode/settings.json',
      '--to',
      'copilot',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain(
      'note writer: .vscode/settings.json still defines this agent and takes precedence over the new file',
    )
  })

  test('renames tools and models for the program, and reports each', async () => {
    const text = file.replace('tools: [ read, search ]', 'tools: [read, execute]\nmodel: gpt-5')
    const project = createProject({ 'reviewer.agent.md': text })
    const { stdout } = await project.cadre(['agents', 'import', 'reviewer.agent.md', '--to', 'claude'])
    expect(stdout).toContain('note reviewer: Renamed for Claude Code: read → Read; execute → Bash.')
    expect(stdout).toContain('Claude Code does not support model gpt-5')
    const written = project.read('.claude/agents/reviewer.md')
    expect(written).toContain('\ntools: Read, Bash\n')
    expect(written).not.toContain('model:')
    const linted = await project.cadre(['lint', '.claude/agents/reviewer.md', '--host', 'claude', '--json'])
    expect(linted.stdout).not.toContain('it does not know')
  })

  test('writes nothing if anything is wrong', async () => {
    const bad = { ...settings, agents: [...settings.agents, agent('wrong name'), { name: 'x' }] }
    const project = createProject({
      'bad.json': bad,
      'good.json': settings,
      'a.md': '',
    })
    const before = project.listing()
    const broken = await project.cadre(['agents', 'import', 'bad.json', '--to', 'copilot'])
    expect(broken.code).toBe(1)
    expect(broken.stderr).toMatch(
      /bad\.json:\d+: configuration\.agents\[3\]\.name \("wrong name"\) may contain only/,
    )
    expect(broken.stderr).toMatch(/bad\.json:\d+: configuration\.agents\[4\]\.systemPrompt is missing/)
    expect(broken.stderr).toContain('nothing was written')
    const mixed = await project.cadre(['agents', 'import', 'good.json', 'a.md', '--to', 'copilot', '--json'])
    expect(mixed.code).toBe(1)
    expect(mixed.json()[0]).toMatchObject({ files: [] })
    const twice = await project.cadre([
      'agents',
      'import',
      'good.json',
      'good.json',
      '--to',
      'copilot',
      '--dry-run',
    ])
    expect(twice.code).toBe(0)
    const missing = await project.cadre(['agents', 'import', 'no.json', '--to', 'copilot'])
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining('no.json. Specify a file that defines agents'),
    ])
    expect(project.listing()).toEqual(before)
  })

  test('replaces files only with --force, and follows no link outside the project', async () => {
    const project = createProject({ 'team.json': settings, '.github/agents/tester.agent.md': 'mine' })
    const refused = await project.cadre(['agents', 'import', 'team.json', '--to', 'copilot'])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(
      'tester.agent.md: It already exists. Replace it with --force. Nothing was written',
    )
    expect(project.exists('.github/agents/writer.agent.md')).toBe(false)
    const forced = await project.cadre(['agents', 'import', 'team.json', '--to', 'copilot', '--force'])
    expect(forced.stdout).toContain('replaced .github/agents/tester.agent.md')
    const again = await project.cadre(['agents', 'import', 'team.json', '--to', 'copilot'])
    expect([again.code, again.stdout.split('\n')[0]]).toEqual([0, 'unchanged .github/agents/writer.agent.md'])
    const outside = createProject()
    const linked = createProject({ 'team.json': settings })
    symlinkSync(outside.path, linked.at('.claude'))
    const caught = await linked.cadre(['agents', 'import', 'team.json', '--to', 'claude', '--force'])
    expect([caught.code, caught.stderr]).toEqual([
      2,
      expect.stringContaining('A link in its path points outside'),
    ])
    expect(outside.listing()).toEqual([])
  })

  test('keeps the editor settings, and adds to them only once', async () => {
    const own = '{\n  // mine\n  "editor.tabSize": 2,\n}\n'
    const project = createProject({ 'team.json': settings, '.vscode/settings.json': own })
    expect(
      (await project.cadre(['agents', 'import', 'team.json', '--to', 'settings', '--dry-run'])).stdout,
    ).toContain('would be replaced .vscode/settings.json')
    expect(project.read('.vscode/settings.json')).toBe(own)
    expect((await project.cadre(['agents', 'import', 'team.json', '--to', 'settings'])).code).toBe(0)
    expect(project.read('.vscode/settings.json')).toContain(
      '  // mine\n  "editor.tabSize": 2,\n  "copilotMultiAgent.entryAgent"',
    )
    const taken = await project.cadre(['agents', 'import', 'team.json', '--to', 'settings'])
    expect(taken.code).toBe(2)
    expect(taken.stderr).toMatch(
      /settings\.json:5: These settings already contain agents\. Replace them with --force/,
    )
  })

  test('writes to another named project', async () => {
    const project = createProject({ 'team.json': settings })
    await project.cadre(['agents', 'import', 'team.json', '--to', 'claude', '--dir', 'other/one'])
    expect(project.exists('other/one/.claude/agents/writer.md')).toBe(true)
    expect(project.exists('.claude')).toBe(false)
  })
})

describe('cadre agents export', () => {
  test('copies a file of the same dialect, byte for byte', async () => {
    const project = createProject({ '.github/agents/reviewer.agent.md': file })
    const { code, stdout, stderr } = await project.cadre(['agents', 'export', 'Reviewer', '--to', 'copilot'])
    expect([code, stdout, stderr]).toEqual([0, file, ''])
    await project.cadre(['agents', 'export', '--to', 'copilot', '--out', 'copy.md'])
    expect(readFileSync(project.at('copy.md'))).toEqual(Buffer.from(file))
    const other = Buffer.from(`\ufeff${file.replaceAll('\n', '\r\n')}`, 'utf16le')
    writeFileSync(project.at('.github/agents/reviewer.agent.md'), other)
    await project.cadre(['agents', 'export', '--to', 'copilot', '--out', 'other.md'])
    expect(readFileSync(project.at('other.md'))).toEqual(other)
  })

  test('prints another dialect, and reports what its program ignores', async () => {
    const project = createProject({ '.github/agents/reviewer.agent.md': file })
    const { code, stdout, stderr } = await project.cadre(['agents', 'export', 'reviewer', '--to', 'claude'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      '---\nname: reviewer\ndescription: Reviews changes\ntools: Read, Grep, Glob\nmy-key:\n  a: 1\n---\n\nYou are a reviewer.\n',
    )
    expect(stderr).toBe(
      'cadre: reviewer: Renamed for Claude Code: read → Read; search → Grep, Glob.\n' +
        'cadre: reviewer: Claude Code ignores these Cadre keys: my-key.\n',
    )
  })

  test('needs a folder for several files', async () => {
    const second = file.replace('name:   reviewer ', 'name: second ')
    const project = createProject({
      '.github/agents/reviewer.agent.md': file,
      '.claude/agents/second.md': second,
    })
    const refused = await project.cadre(['agents', 'export', '--to', 'copilot'])
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('Specify a folder with --out DIR'),
    ])
    const json = (await project.cadre(['agents', 'export', '--to', 'copilot', '--json'])).json()[0]
    expect(json).toMatchObject({
      files: [
        { path: '.github/agents/reviewer.agent.md', text: file },
        { path: '.github/agents/second.agent.md', text: expect.stringContaining('name: second') },
      ],
    })
    const out = await project.cadre(['agents', 'export', '--to', 'copilot', '--out', 'copy'])
    expect(out.code).toBe(0)
    expect(project.read('copy/.github/agents/reviewer.agent.md')).toBe(file)
    const again = await project.cadre([
      'agents',
      'export',
      'second',
      '--to',
      'claude',
      '--out',
      'copy/.github/agents/second.agent.md',
    ])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('It already exists')])
  })

  test('omits and reports what settings cannot express', async () => {
    const project = createProject({
      '.github/agents/reviewer.agent.md': file,
      '.github/agents/c.agent.md': file.replace('reviewer ', 'C# Expert '),
    })
    const { code, stdout, stderr } = await project.cadre(['agents', 'export', '--to', 'settings'])
    expect(code).toBe(1)
    expect(stderr).toContain(
      'C# Expert: In settings, a name may contain only the letters A to Z, digits, - and _. Cadre omitted this agent.',
    )
    expect(JSON.parse(stdout)).toMatchObject({
      version: '1.0.0',
      entryAgent: 'reviewer',
      agents: [{ name: 'reviewer', 'my-key': { a: 1 } }],
    })
  })

  test('reports files whose agents are unusable', async () => {
    const project = createProject({
      '.github/agents/reviewer.agent.md': file,
      '.cadre/templates/x.agent.yaml': 'id: x\nmax_turns: many\n',
    })
    const { code, stdout, stderr } = await project.cadre(['agents', 'export', '--to', 'copilot'])
    expect([code, stdout]).toEqual([1, file])
    expect(stderr).toMatch(/x\.agent\.yaml:2: max_turns must be a whole number/)
  })

  test('reports an unknown agent', async () => {
    const project = createProject({ '.github/agents/reviewer.agent.md': file })
    const { code, stderr } = await project.cadre(['agents', 'export', 'reviwer', '--to', 'claude'])
    expect(code).toBe(2)
    expect(stderr).toContain('there is no agent named "reviwer". Did you mean reviewer?')
    const none = await createProject().cadre(['agents', 'export', '--to', 'claude'])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('there are no agents')])
  })
})

describe("agents of an editor's settings", () => {
  const own = {
    'editor.tabSize': 2,
    'copilotMultiAgent.entryAgent': 'coordinator',
    'copilotMultiAgent.agents': settings.agents,
  }

  test('are exported in order, with their entry', async () => {
    const project = createProject({ '.vscode/settings.json': own })
    const { code, stdout } = await project.cadre(['agents', 'export', '--to', 'settings'])
    expect([code, JSON.parse(stdout)]).toEqual([0, settings])
    await project.cadre(['agents', 'export', '--to', 'copilot', '--out', 'copy'])
    expect(project.read('copy/.github/agents/writer.agent.md')).toContain("cadre-order: '1'")
    expect(project.read('copy/.github/agents/coordinator.agent.md')).toContain("cadre-entry: 'true'")
  })

  test('can be run, starting with the entry agent', async () => {
    const playbook = { lanes: { coordinator: [{ reply: 'It is done.' }] } }
    const project = createProject({ '.vscode/settings.json': own, 'p.yaml': playbook })
    const { code, stdout } = await project.cadre(['run', '--model', 'scripted:p.yaml', '--json', 'Do it'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
      type: 'report',
      agent: 'coordinator',
      status: 'completed',
    })
  })
})
