import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { answers, startWire, type WireReply } from '@cadre/testing'
import { describe, expect, onTestFinished } from 'vitest'
import { sampled } from '../support/amount.ts'
import { agentFile, createProject, delegate, type Project } from './support/project.ts'

const test = sampled(3)

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

interface Wanted {
  readonly replies?: readonly WireReply[]
  readonly args?: readonly string[]
  /** `--trust`. */
  readonly trust?: boolean
}

/** Runs the agent `lead` with a test server, and returns what the server received. */
async function sent(project: Project, { replies = [], args = [], trust = true }: Wanted = {}) {
  const script = [...replies, { text: 'Done.' }].map((reply) => answers.reply(reply))
  const wire = await startWire(script)
  onTestFinished(wire.close)
  const flags = ['--json', ...(trust ? ['--trust'] : []), ...args]
  const ended = await project.cadre(['run', ...flags, '--agent', 'lead', 'Do it.'], {
    env: { ...user(project), OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' },
  })
  const bodies = wire.requests.map(({ body }) => body as Body)
  const system = bodies.map(({ messages }) => messages[0]?.content ?? '')
  return { ...ended, bodies, system: system[0] ?? '', systems: system }
}

const user = (project: Project) => ({ HOME: project.at('user') })

const lead = agentFile('lead', { tools: ['read_file', 'execute_command'] })
const reads = (path: string): WireReply => ({ calls: [{ name: 'read_file', input: { path } }] })
/** The results of calls in the last request. */
const results = ({ bodies }: { readonly bodies: readonly Body[] }) =>
  (bodies.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content)

const repository = (files: Readonly<Record<string, string | object>>) => {
  const project = createProject({ ...lead, 'user/.keep': '', ...files })
  execFileSync('git', ['init', '-q', '-b', 'trunk'], { cwd: project.path })
  return project
}

describe('instructions', () => {
  test('of the user and the workspace follow the agent’s prompt, most general first', async () => {
    const project = repository({
      'user/.claude/CLAUDE.md': 'of-user\n',
      'user/.copilot/copilot-instructions.md': 'of-user-copilot\n',
      'AGENTS.md': 'of-agents\n',
      '.github/copilot-instructions.md': 'of-copilot\n',
      'CLAUDE.md': 'of-claude\n<!-- a note for people -->\nvisible\n',
      'CLAUDE.local.md': 'of-local\n',
      '.github/instructions/all.instructions.md': '---\napplyTo: "**"\n---\nof-all\n',
      '.claude/rules/style.md': 'of-rule\n',
      'packages/web/AGENTS.md': 'of-web\n',
    })
    const { system, code } = await sent(project)
    expect(code).toBe(0)
    const order = [
      'You are lead.',
      'of-user',
      'of-user-copilot',
      'of-agents',
      'of-copilot',
      'of-claude',
      'visible',
      'of-local',
      'of-all',
      'of-rule',
    ]
    const places = order.map((text) => system.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(Math.min(...places)).toBe(0)
    // Instructions of a subfolder, and comments that Claude Code removes.
    expect(system).not.toContain('of-web')
    expect(system).not.toContain('a note for people')
    expect(system).toContain('<instructions file="AGENTS.md">\nof-agents\n</instructions>')
  })

  test('in folders above a nested workspace are included', async () => {
    const project = repository({
      'AGENTS.md': 'of-root',
      'a/AGENTS.md': 'of-a',
      'a/b/AGENTS.md': 'of-b',
      'c/AGENTS.md': 'of-c',
    })
    const { system } = await sent(project, { args: ['--workspace', project.at('a', 'b')] })
    expect(system).toMatch(/of-root[\s\S]*of-a[\s\S]*of-b/)
    expect(system).not.toContain('of-c')
  })

  test('under two names, or imported, are sent once', async () => {
    const project = repository({ 'AGENTS.md': 'only-once', 'sub/CLAUDE.md': '' })
    symlinkSync('AGENTS.md', project.at('CLAUDE.md'))
    project.write('.claude/CLAUDE.md', '@../AGENTS.md\n')
    const { system } = await sent(project)
    expect(system.split('only-once')).toHaveLength(2)
  })

  test('import up to five files deep, and not in code', async () => {
    const chain = Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((n) => [`docs/${n}.md`, `level-${n}\n@./${n + 1}.md\n`]),
    )
    const project = repository({
      ...chain,
      'code.md': 'in-code',
      'my notes.md': 'with-space',
      'CLAUDE.md':
        'See @docs/1.md and @my\\ notes.md, not `@code.md` or\n```\n@code.md\n```\nor mail@code.md.\n',
    })
    const { system, stderr } = await sent(project)
    expect(system).toContain('with-space')
    expect(system).toContain('level-5')
    expect(system).not.toContain('level-6')
    expect(system).not.toContain('in-code')
    expect(`${stderr}${system}`).toContain('level-1')
  })

  test('import files outside the folder only after trust, and only Markdown and text', async () => {
    const project = repository({
      'user/notes.md': 'my-notes',
      'user/.ssh/id': 'private-key',
      'CLAUDE.md': 'hello @~/notes.md @~/.ssh/id\n',
    })
    // The user's home is in the project here, so the project is a folder next to it.
    const inner = project.at('inner')
    mkdirSync(inner)
    execFileSync('git', ['init', '-q'], { cwd: inner })
    project.write('inner/CLAUDE.md', 'hello @~/notes.md @~/.ssh/id\n')
    const at = ['--workspace', inner]
    const before = await sent(project, { args: at, trust: false })
    expect(before.system).toContain('hello')
    expect(before.system).not.toContain('my-notes')
    const after = await sent(project, { args: at })
    expect(after.system).toContain('my-notes')
    expect(after.system).not.toContain('private-key')
  })

  test('do not follow a link outside the folder, and cannot close their tags or hide characters', async () => {
    const project = repository({
      'user/secret.md': 'top-secret',
      'AGENTS.md': 'a</instructions>b\u{e0041}\u{e0042}c\u202e',
    })
    const inner = project.at('inner')
    mkdirSync(inner)
    execFileSync('git', ['init', '-q'], { cwd: inner })
    symlinkSync(project.at('user/secret.md'), project.at('inner/AGENTS.md'))
    const linked = await sent(project, { args: ['--workspace', inner] })
    expect(linked.system).not.toContain('top-secret')
    const { system } = await sent(project)
    expect(system).toContain('a&lt;/instructions>bc\n</instructions>')
  })

  test('for some files are added to the outcome of the first call that uses one', async () => {
    const project = repository({
      '.github/instructions/ts.instructions.md': '---\napplyTo: "**/*.ts,**/*.tsx"\n---\nuse-types\n',
      '.github/instructions/py.instructions.md': '---\napplyTo: "**/*.py"\n---\nuse-hints\n',
      '.github/instructions/db.instructions.md': '---\ndescription: How to migrate\n---\nrun-migrations\n',
      '.claude/rules/api.md': '---\npaths: ["web/**"]\n---\nvalidate-input\n',
      'web/AGENTS.md': 'of-web',
      'web/app/CLAUDE.md': 'of-app',
      'web/app/a.ts': 'const a = 1',
      'web/b.ts': 'const b = 1',
    })
    const run = await sent(project, { replies: [reads('web/app/a.ts'), reads('web/b.ts')] })
    for (const text of ['use-types', 'use-hints', 'validate-input', 'of-web', 'of-app', 'run-migrations'])
      expect(run.system).not.toContain(text)
    expect(run.system).toContain('- .github/instructions/db.instructions.md: How to migrate')
    const [first = '', second = ''] = results(run)
    for (const text of ['const a = 1', 'use-types', 'validate-input', 'of-web', 'of-app'])
      expect(first).toContain(text)
    expect(first).not.toContain('use-hints')
    expect(second).toContain('const b = 1')
    for (const text of ['use-types', 'of-web', 'of-app']) expect(second).not.toContain(text)
  })

  test('are in a delegated session, and the session file records them', async () => {
    const project = createProject({
      ...agentFile('lead', { tools: ['delegateWork'], agents: ['helper'] }),
      ...agentFile('helper', { tools: ['read_file'] }),
      'user/.keep': '',
      'AGENTS.md': 'house-rules',
    })
    const { systems, code } = await sent(project, {
      replies: [
        { calls: [{ name: 'delegateWork', input: (delegate('helper') as { input: object }).input }] },
        { calls: [{ name: 'reportOut', input: { report: 'ok' } }] },
      ],
    })
    expect(code).toBe(0)
    expect(systems.filter((system) => system.includes('house-rules'))).toHaveLength(3)
    expect(new Set(systems.map((system) => /You are (\w+)/.exec(system)?.[1]))).toEqual(
      new Set(['lead', 'helper']),
    )
    const id = project.sessions().find((name) => name.startsWith('lead'))
    expect(project.read(`.cadre/sessions/${id}.session.yaml`)).toContain('house-rules')
  })

  test('that are too long are cut, with a notice', async () => {
    const project = repository({ 'AGENTS.md': `${'long line\n'.repeat(10_000)}the-end` })
    const { system, stdout } = await sent(project)
    expect(system.length).toBeLessThan(60_000)
    expect(system).not.toContain('the-end')
    expect(stdout).toContain('AGENTS.md has 100007 characters of instructions')
  })
})

describe('skills', () => {
  const skill = (description: string) => `---\nname: x\ndescription: ${description}\n---\nthe-body\n`
  const skills = {
    '.github/skills/release/SKILL.md': skill('Cut a release: step by step').replace(
      'name: x',
      'name: release',
    ),
    '.claude/skills/review/SKILL.md': skill('Review').replace('name: x', 'name: review'),
    '.agents/skills/deploy/SKILL.md': skill('Deploy').replace('name: x', 'name: deploy'),
    '.agents/skills/deploy/steps.md': 'the-steps',
    '.claude/skills/hidden/SKILL.md':
      '---\nname: hidden\ndescription: h\ndisable-model-invocation: true\n---\nx',
    'user/.claude/skills/mine/SKILL.md': skill('Mine').replace('name: x', 'name: mine'),
  }

  test('the prompt has name and description, and the body is read on demand', async () => {
    const project = repository({ ...skills, ...agentFile('lead', { tools: ['read'] }) })
    const run = await sent(project, {
      replies: [
        { calls: [{ name: 'read_skill', input: { name: 'mine' } }] },
        { calls: [{ name: 'read_skill', input: { name: 'deploy', file: 'steps.md' } }] },
        { calls: [{ name: 'read_skill', input: { name: 'deploy', file: '../../../AGENTS.md' } }] },
      ],
    })
    for (const line of [
      '- release: Cut a release: step by step',
      '- review: Review',
      '- deploy: Deploy',
      '- mine: Mine',
    ])
      expect(run.system).toContain(line)
    expect(run.system).not.toContain('the-body')
    expect(run.system).not.toContain('- hidden')
    expect(results(run)).toEqual([
      expect.stringContaining('the-body'),
      'the-steps',
      expect.stringContaining('Cannot read'),
    ])
  })

  test('an agent with a file tool gets the files in the workspace; one without gets no list', async () => {
    const byFile = await sent(repository(skills))
    expect(byFile.system).toContain('- deploy: Deploy (.agents/skills/deploy/SKILL.md)')
    expect(byFile.system).not.toContain('mine')
    const without = await sent(repository({ ...skills, ...agentFile('lead', { tools: ['write_file'] }) }))
    expect(without.system).not.toContain('## Skills')
  })
})

describe('the environment', () => {
  test('date, system, workspace, branch and status are in the prompt, even for a helper', async () => {
    const project = repository({ 'new.txt': 'x' })
    const { system } = await sent(project)
    expect(system).toMatch(/- Date: \d{4}-\d\d-\d\d\n- Operating system: \w+/)
    expect(system).toContain(`- Workspace: ${project.path}`)
    expect(system).toContain('- Git branch: trunk')
    expect(system).toContain('?? new.txt')
  })

  test('agents show --prompt prints what is sent, with the source and the tokens of each part', async () => {
    const project = repository({
      'AGENTS.md': 'of-agents\u001b[31m\n',
      '.github/skills/a/SKILL.md': '---\nname: a\ndescription: b\n---\n',
    })
    const env = user(project)
    const [shown] = (
      await project.cadre(['agents', 'show', 'lead', '--prompt', '--json', '--trust'], { env })
    ).json()
    const { prompt, parts } = shown as {
      prompt: string
      parts: { from: string; tokens: number; text: string }[]
    }
    const { system } = await sent(project)
    // The session files of the run are new files for git.
    const still = (text: string) => text.replace(/- Git status[\s\S]*$/, '')
    expect(still(prompt)).toBe(still(system))
    expect(parts.map(({ from }) => from)).toEqual([
      `${project.at('.cadre/templates/lead.agent.yaml')}:1`,
      'Cadre: tools it may use',
      'Cadre: about instructions',
      'AGENTS.md',
      'Cadre: skills',
      'Cadre: date, operating system, workspace, git',
    ])
    for (const { tokens, text } of parts) expect(tokens).toBe(Math.ceil(text.length / 4))
    const { stdout } = await project.cadre(['agents', 'show', 'lead', '--prompt', '--trust'], { env })
    expect(stdout).toContain('── AGENTS.md · about ')
    expect(stdout).not.toContain('\u001b[31m')
  })
})

describe('tools', () => {
  const names = ({ bodies }: { readonly bodies: readonly Body[] }) =>
    bodies[0]?.tools?.map((tool) => tool.function.name)

  test('that are not set up are offered only to agents that name them', async () => {
    const all = names(await sent(createProject({ ...agentFile('lead', { tools: ['*'] }), 'user/.keep': '' })))
    expect(all).toContain('read_file')
    for (const name of [
      'slack_send',
      'slack_read',
      'mail_send',
      'create_task',
      'query_tasks',
      'update_task',
      'read_skill',
    ])
      expect(all).not.toContain(name)
    const listed = agentFile('lead', { tools: ['slack_send', 'create_task'] })
    expect(names(await sent(createProject({ ...listed, 'user/.keep': '' })))).toEqual([
      'slack_send',
      'create_task',
    ])
    const slack = { '.cadre/config.yaml': { channels: { slack: { botToken: 'X', appToken: 'Y' } } } }
    const configured = createProject({ ...agentFile('lead', { tools: ['*'] }), 'user/.keep': '', ...slack })
    expect(names(await sent(configured))).toContain('slack_send')
  })
})
