import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agentFile, createProject, type Project } from './support/project.ts'

const settings = (permissions: object) => ({ '.claude/settings.json': { permissions } })
const env = (project: Project) => ({ HOME: project.at('user') })
const base = { ...agentFile('lead'), 'user/.keep': '' }

async function explain(project: Project, tool: string, input: object, ...flags: string[]) {
  const { json } = await project.cadre(
    ['policy', 'explain', '--json', '--tool', tool, '--input', JSON.stringify(input), ...flags],
    { env: env(project) },
  )
  return json()[0] as { decision: string; reason?: string; rule?: string }
}

test('a file that permissions deny does not reach the model: by reading, searching, a command or an import', async () => {
  const wire = await startWire(
    [
      { calls: [{ name: 'read_file', input: { path: '.env' } }] },
      { calls: [{ name: 'search_files', input: { query: 'SECRET' } }] },
      { calls: [{ name: 'execute_command', input: { command: 'cat .env' } }] },
      { text: 'Done.' },
    ].map((reply) => answers.reply(reply)),
  )
  onTestFinished(wire.close)
  const project = createProject({
    ...base,
    ...settings({ deny: ['Read(.env)'] }),
    '.env': 'SECRET=hunter2',
    'CLAUDE.md': '@.env\n',
  })
  await project.cadre(['run', '--json', '--agent', 'lead', '--no-human', 'Go.'], {
    env: { ...env(project), OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:big' },
  })
  expect(wire.requests).toHaveLength(4)
  expect(wire.requests.map(({ text }) => text).join('\n')).not.toContain('hunter2')
})

test("a project's permissions apply after trust, and the user's immediately", async () => {
  const project = createProject({ ...base, ...settings({ allow: ['Edit(src/**)'] }) })
  const write = { path: 'src/a.ts', content: 'x' }
  expect(await explain(project, 'write_file', write)).toMatchObject({ decision: 'deny' })
  expect(await explain(project, 'write_file', write, '--trust')).toMatchObject({
    decision: 'allow',
    rule: 'permissions: Edit(src/**)',
    reason: `allowed by ${project.at('.claude/settings.json')}:4`,
  })
  const own = createProject({
    ...base,
    'user/.claude/settings.json': { permissions: { allow: ['Edit(src/**)'] } },
  })
  expect(await explain(own, 'write_file', write)).toMatchObject({ decision: 'allow' })
  expect(await explain(own, 'write_file', { ...write, path: 'b.ts' })).toMatchObject({ decision: 'ask' })
})

test('the answer names the file and the line, and a denial needs no trust', async () => {
  const project = createProject({
    ...base,
    ...settings({ deny: ['Read(./.env)', 'Bash(git push:*)', 'WebFetch'] }),
  })
  const place = (line: number) => `(${project.at('.claude/settings.json')}:${line})`
  expect((await explain(project, 'read_file', { path: '.env' })).reason).toContain(place(4))
  expect((await explain(project, 'execute_command', { command: 'git push' })).reason).toContain(place(5))
  expect((await explain(project, 'web_fetch', { url: 'https://a.example' })).reason).toContain(place(6))
})

test('a policy is never loosened, and an invalid file asks about everything', async () => {
  const policy = { 'user/.config/cadre/policy.yaml': 'effects: { write: ask }\n' }
  const project = createProject({ ...base, ...policy, ...settings({ allow: ['Edit'] }) })
  expect(await explain(project, 'write_file', { path: 'a', content: '' }, '--trust')).toMatchObject({
    decision: 'ask',
  })
  const broken = createProject({
    ...base,
    '.claude/settings.json': '{ "permissions": { "deny": ["Read(.env)" } }',
  })
  expect(await explain(broken, 'read_file', { path: 'a' })).toMatchObject({ decision: 'ask' })
})

test('lint, doctor and the start of a run report what is not supported', async () => {
  const project = createProject({
    ...base,
    'p.yaml': { lanes: { '*': [{ reply: 'ok' }] } },
    ...settings({
      allow: ['Bash'],
      deny: ['WebFetch(port:1)'],
      defaultMode: 'acceptEdits',
      additionalDirectories: ['../x'],
    }),
    '.claude/skills/a/SKILL.md': 'no header',
    'AGENTS.md': 'hidden \u{e0041}\u{e0042}',
  })
  const options = { env: env(project) }
  const texts = [
    'Bash allows nothing',
    'WebFetch(port:1) asks about every call',
    'permissions.defaultMode is not supported',
    'permissions.additionalDirectories is not supported',
  ]
  const lint = await project.cadre(['lint'], options)
  const doctor = await project.cadre(['doctor'], options)
  const run = await project.cadre(['run', '--model', 'scripted:p.yaml', '--agent', 'lead', 'x'], options)
  for (const text of texts)
    for (const { stdout, stderr } of [lint, doctor, run]) expect(stdout + stderr).toContain(text)
  for (const text of ['has no description', 'invisible characters']) expect(lint.stdout).toContain(text)
})

test('.mcp.json alone needs trust, because Cadre starts its servers', async () => {
  const project = createProject({ ...base, '.mcp.json': { mcpServers: { a: { command: 'x' } } } })
  expect(await explain(project, 'write_file', { path: 'a', content: '' })).toMatchObject({ decision: 'deny' })
  const { stdout } = await project.cadre(['doctor'], { env: env(project) })
  expect(stdout).toContain('starts the MCP server a: x; it is not trusted')
  expect(stdout).toContain('1 server, 1 in the sandbox')
})
