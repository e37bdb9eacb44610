import { describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, type Project } from './support/project.ts'

const test = sampled(2)

const write = { tool: 'write_file', input: { path: 'out.txt', content: 'written\n' } }
const playbook = (...calls: object[]) => ({
  'p.yaml': { lanes: { '*': [{ calls }, { reply: '{{last}}' }] } },
})
const run = (...flags: string[]) => ['run', '--json', '--model', 'scripted:p.yaml', ...flags, 'x']
type Line = Record<string, unknown>
const judged = (lines: Line[]) => lines.filter(({ type }) => type === 'call.judged')
const policy = '.cadre/storage/policy.yaml'

/** The audit log of a project, all days together. */
function auditOf(project: Project): Line[] {
  return project
    .listing()
    .flatMap((entry) => /^\.cadre\/events\/\S+\.jsonl(?= )/.exec(entry)?.[0] ?? [])
    .flatMap((file) => project.read(file).split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

describe('a folder with items that need trust', () => {
  const hook = { hooks: { PreToolUse: [{ type: 'command', command: 'touch pwned' }] } }

  test('is read-only until it is trusted, and nothing in it runs', async () => {
    const project = createProject({
      ...agentFile('lead'),
      ...playbook({ tool: 'read_file', input: { path: 'p.yaml', limit: 1 } }, write),
      '.github/hooks/a.json': hook,
      [policy]: 'effects.write: allow\n',
    })
    const { json, stderr, code } = await project.cadre(run(), { isForeign: true })
    expect(stderr).toMatch(
      /this folder is not trusted: Cadre ignores its hooks, tools and rules, and agents are read-only\./,
    )
    expect(stderr).toMatch(/\.github\/hooks\/a\.json runs a hook while agents work/)
    expect(stderr).toMatch(/policy\.yaml:1 permits more than the default \(effects\.write: "allow"\)/)
    expect(stderr).toContain('use --trust (or CADRE_TRUST=1) for one command')
    expect(judged(json())).toMatchObject([{ decision: 'allow' }, { decision: 'deny' }])
    expect(project.exists('out.txt')).toBe(false)
    expect(project.exists('pwned')).toBe(false)
    expect(code).toBe(0)
    for (const [flags, env] of [
      [['--trust'], {}],
      [[], { CADRE_TRUST: '1' }],
    ] as const) {
      const trusted = await project.cadre(run(...flags), { env, isForeign: true })
      expect(judged(trusted.json()).at(-1)).toMatchObject({ decision: 'allow', rule: 'effects.write' })
    }
    expect(project.read('out.txt')).toBe('written\n')
    // Trust for one command applies only to that command.
    expect(judged((await project.cadre(run(), { isForeign: true })).json()).at(-1)).toMatchObject({
      decision: 'deny',
    })
  })

  test('runs nothing when it is only read, with any command', async () => {
    const project = createProject({
      ...agentFile('lead', { hooks: hook.hooks }),
      '.github/hooks/a.json': { hooks: { SessionStart: [{ type: 'command', command: 'touch pwned' }] } },
      '.mcp.json': { mcpServers: { a: { command: 'touch', args: ['pwned'] } } },
      '.cadre/evil.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('pwned', '')`,
      '.cadre/config.yaml': { tools: ['evil.mjs'], check: { command: ['touch', 'pwned'] } },
      ...playbook({ tool: 'get_errors', input: {} }),
    })
    for (const args of [
      ['agents', 'list'],
      ['agents', 'show', 'lead'],
      ['lint'],
      ['doctor'],
      ['sessions', 'list'],
      ['policy', 'explain', '--tool', 'get_errors', '--input', '{}'],
      run(),
    ])
      await project.cadre(args, { isForeign: true })
    expect(project.exists('pwned')).toBe(false)
    const doctor = await project.cadre(['doctor'], { isForeign: true })
    for (const what of ['a.json runs a hook', 'evil.mjs runs as a tool module'])
      expect(doctor.stdout).toContain(what)
  })
})

describe('writing', () => {
  test('needs approval, unless a person allows it for the run', async () => {
    const project = createProject({ ...agentFile('lead'), ...playbook(write) })
    const asked = await project.cadre(run())
    expect(asked.code).toBe(3)
    expect(judged(asked.json())).toMatchObject([
      { decision: 'ask', by: 'policy', rule: 'effects.write', risk: 'MEDIUM' },
    ])
    expect((await project.cadre(run('--allow', 'write'))).code).toBe(0)
    expect(project.read('out.txt')).toBe('written\n')
    project.write('.config/cadre/policy.yaml', 'effects.write: deny\n')
    const denied = await project.cadre(run('--allow', 'write'))
    expect(judged(denied.json())).toMatchObject([
      { decision: 'deny', reason: expect.stringContaining(`${project.at('.config/cadre/policy.yaml')}:1`) },
    ])
  })

  test('a run with --no-human reports the denied calls', async () => {
    const project = createProject({ ...agentFile('lead'), ...playbook(write) })
    const { code, json } = await project.cadre(run('--no-human'))
    expect(code).toBe(0)
    const said = /^1 call needed an approval and was refused.*--no-human.*: write_file\./
    expect(json().at(-1)).toMatchObject({
      status: 'completed',
      notices: [{ code: 'approval', message: expect.stringMatching(said) }],
    })
    expect(project.exists('out.txt')).toBe(false)
  })

  test.each([
    ['coordinator', 'documentation-writer', 'allow'],
    ['explorers', 'general-purpose', 'allow'],
    ['supervisor', 'builder', 'allow'],
    ['operators', 'executor-001', 'ask'],
    ['planner', 'Agent', 'ask'],
  ])('%s: a write of %s is %s if a person chose the team, and denied if a clone did', async (...row) => {
    const [team, agent, chosen] = row
    const input = JSON.stringify(write.input)
    const explain = [
      'policy',
      'explain',
      '--json',
      '--agent',
      agent,
      '--tool',
      'write_file',
      '--input',
      input,
    ]
    const byPerson = await createProject().cadre([...explain, '--team', team])
    expect(byPerson.json()).toMatchObject([{ decision: chosen, rule: 'effects.write' }])
    const folder = createProject({ '.cadre/config.yaml': { team } })
    const byClone = await folder.cadre(explain, { isForeign: true })
    expect(byClone.json()).toMatchObject([{ decision: 'deny' }])
    expect((await folder.cadre(explain)).json()).toMatchObject([{ decision: chosen, rule: 'effects.write' }])
  })

  test('a written team records it in its policy, which applies as written and as edited', async () => {
    const project = createProject(playbook(write))
    const made = await project.cadre(['init', '--team', 'coordinator'])
    expect(made.stdout).toContain(policy)
    expect(project.read(policy)).toMatch(/^#.*\neffects:\n {2}write: allow\n$/)
    const { code, stderr } = await project.cadre(run('--agent', 'documentation-writer'))
    expect([code, stderr]).toEqual([0, ''])
    expect(project.read('out.txt')).toBe('written\n')
    project.write(policy, 'effects: {write: deny}\n')
    const changed = await project.cadre(run('--agent', 'documentation-writer'))
    expect(changed.stderr).toBe('')
    expect(judged(changed.json())).toMatchObject([{ decision: 'deny', rule: 'effects.write' }])
    const again = await project.cadre(['init', '--team', 'coordinator', '--force'])
    expect(again.stdout).toMatch(/kept +\S+policy\.yaml/)
  })

  test('hooks of a written team are trusted as written; existing hooks still need trust', async () => {
    const project = createProject(playbook(write))
    await project.cadre(['init', '--team', 'supervisor'])
    const fresh = await project.cadre(['hooks', 'list', '--json'])
    expect(fresh.json()[0]?.['hooks']).toMatchObject([{ run: true }, { run: true }, { run: true }])
    const script = '.github/hooks/scripts/security-check.mjs'
    project.write(script, `${project.read(script)}// changed\n`)
    expect((await project.cadre(['hooks', 'list'])).stdout).toContain('this folder is not trusted')

    const other = createProject({
      ...playbook(write),
      '.github/hooks/own.json': { hooks: { SessionStart: [{ type: 'command', command: 'touch pwned' }] } },
    })
    await other.cadre(['init', '--team', 'supervisor'])
    expect((await other.cadre(run())).stderr).toMatch(/is not trusted[\s\S]*own\.json/)
    expect(other.exists('pwned')).toBe(false)
  })

  test('if automatic approval is forbidden, a person is asked regardless of permissions', async () => {
    const off = 'agentMode.autoApproval.enabled: false\n'
    const project = createProject({
      ...agentFile('lead'),
      ...playbook(write),
      '.config/cadre/policy.yaml': `${off}effects.write: allow\n`,
    })
    const asked = await project.cadre(run('--allow', 'write'))
    expect(asked.code).toBe(3)
    expect(asked.json().find(({ type }) => type === 'person.asked')).toMatchObject({
      choices: ['approve', 'reject'],
    })
  })

  test('denied paths are neither read nor found', async () => {
    const project = createProject({
      ...agentFile('lead'),
      ...playbook(
        { tool: 'read_file', input: { path: 'secrets/key' } },
        { tool: 'search_files', input: { query: 'needle' } },
      ),
      'secrets/key': 'needle\n',
      'open.txt': 'needle\n',
      [policy]: 'paths: {deny: {read: [secrets]}}\n',
    })
    const { json, stderr } = await project.cadre(run())
    expect(stderr).toBe('')
    expect(judged(json())).toMatchObject([
      {
        decision: 'deny',
        rule: 'paths.deny.read',
        reason: expect.stringContaining(`${project.at(policy)}:1`),
      },
      { decision: 'allow' },
    ])
    const found = json().filter(({ type }) => type === 'call.settled')
    expect(found[1]?.['content']).toContain('open.txt:1')
    expect(found[1]?.['content']).not.toContain('secrets')
  })
})

test('every decision of a run is in the audit log, without secrets', async () => {
  const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const project = createProject({
    ...agentFile('lead'),
    ...playbook({
      tool: 'write_file',
      input: { path: 'a.txt', content: `token ${token}\nand my-own-secret` },
    }),
  })
  await project.cadre(run('--allow', 'write'), { env: { DEPLOY_TOKEN: 'my-own-secret' } })
  expect(project.read('a.txt')).toContain(token)
  expect(auditOf(project)).toMatchObject([
    { type: 'session.started', agent: 'lead' },
    {
      type: 'call.judged',
      agent: 'lead',
      tool: 'write_file',
      input: { path: 'a.txt', content: 'token ghp_***\nand ***' },
      decision: 'allow',
      by: 'policy',
      rule: 'effects.write',
    },
    { type: 'call.settled', outcome: 'done' },
    { type: 'session.ended', status: 'completed' },
  ])
})
