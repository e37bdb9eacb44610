import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { inDeep, isDeep } from '../support/amount.ts'
import { createProject, type Project } from './support/project.ts'

const init = (project: Project, to: string, ...flags: string[]) =>
  project.cadre(['init', '--json', '--team', 'supervisor', '--to', to, ...flags])
const settings = '.claude/settings.json'
const harness = 'scripts/test-hook-artifacts.mjs'
const checklist = '.github/hooks/verification.md'

function statusOf(project: Project, [line]: Record<string, unknown>[], file: string): string | undefined {
  const files = line!['files'] as { path: string; status: string }[]
  return files.find(({ path }) => path === project.at(file))?.status
}

// Each starts about sixty processes.
test.runIf(isDeep).each(['claude', 'copilot', 'vscode'])(
  'the test script passes in a project with the hooks for %s',
  async (to) => {
    const project = createProject()
    const made = await init(project, to)
    expect(made.code).toBe(0)
    expect(statusOf(project, made.json(), harness)).toBe('created')
    expect(project.exists('.github/hooks/copilot-hooks.json')).toBe(to !== 'claude')
    expect(project.exists(settings)).toBe(to === 'claude')
    const before = project.listing()
    const proof = spawnSync(process.execPath, [project.at(harness)], { cwd: '/', encoding: 'utf8' })
    expect(proof.stdout).not.toContain('FAIL')
    expect(proof.stdout).toContain('All checks passed.')
    expect(proof.status).toBe(0)
    expect(project.listing()).toEqual(before)
    // The check matters: without it, the harness fails.
    writeFileSync(project.at('.github/hooks/scripts/security-check.mjs'), '')
    const broken = spawnSync(process.execPath, [project.at(harness)], { encoding: 'utf8' })
    expect(broken.stdout).toMatch(/FAIL {2}\S+: \w+ may not edit another file\n/)
    expect(broken.status).toBe(1)
  },
)

test("the checklist contains the project's commands", async () => {
  const project = createProject({ 'package.json': { scripts: { test: 'vitest' } }, 'pnpm-lock.yaml': '' })
  await init(project, 'claude')
  expect(project.read(checklist)).toContain('| Unit tests | `pnpm test` |')
  expect(project.read(checklist)).toContain('| Build | None found |')
})

inDeep('a second init changes nothing, and keeps changes to the test script', async () => {
  const project = createProject()
  await init(project, 'claude')
  const before = project.listing()
  const again = await init(project, 'claude')
  expect(statusOf(project, again.json(), settings)).toBe('unchanged')
  expect(statusOf(project, again.json(), harness)).toBe('unchanged')
  expect(project.listing()).toEqual(before)

  project.write(checklist, 'mine\n')
  rmSync(project.at(harness))
  symlinkSync('/nowhere', project.at(harness))
  const kept = await init(project, 'claude', '--force')
  expect(statusOf(project, kept.json(), checklist)).toBe('kept')
  expect(statusOf(project, kept.json(), harness)).toBe('kept')
  expect(project.read(checklist)).toBe('mine\n')
  const plain = await project.cadre(['init', '--team', 'supervisor', '--to', 'claude'])
  expect(plain.stdout).toMatch(/kept +\S+verification\.md/)
})

test('hooks for two programs share their scripts', async () => {
  const project = createProject()
  await init(project, 'copilot')
  const both = await init(project, 'claude')
  expect(both.code).toBe(0)
  expect(statusOf(project, both.json(), '.github/hooks/scripts/security-check.mjs')).toBe('unchanged')
  expect(statusOf(project, both.json(), settings)).toBe('created')
})

test('hooks are added to settings, which keep everything else', async () => {
  const mine = { matcher: 'Bash', hooks: [{ type: 'command', command: 'touch pwned' }] }
  const own = { model: 'opus', permissions: { deny: ['Read(.env)'] }, hooks: { PreToolUse: [mine] } }
  const project = createProject({ [settings]: own, 'p.yaml': { default: { reply: 'Hello.' } } })
  const made = await init(project, 'claude')
  expect(statusOf(project, made.json(), settings)).toBe('replaced')
  const { hooks, ...rest } = JSON.parse(project.read(settings))
  expect(rest).toEqual({ model: 'opus', permissions: own.permissions })
  expect(hooks.PreToolUse[0]).toEqual(mine)
  expect(hooks.PreToolUse).toHaveLength(2)
  // Other hooks do not become trusted as a side effect.
  expect(made.json()[0]!['notices']).toContainEqual(expect.stringContaining('only after you trust them'))
  const { stderr } = await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
  expect(stderr).toContain('this folder is not trusted')
  expect(project.exists('pwned')).toBe(false)
})

test.each(['claude', 'vscode'])('Cadre trusts the hooks it wrote for %s, and runs them', async (to) => {
  const project = createProject({ 'p.yaml': { lanes: { supervisor: [{ reply: 'Done.' }] } } })
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  await init(project, to)
  const { code, stderr } = await project.cadre(['run', '--model', 'scripted:p.yaml', 'x'])
  expect(stderr).not.toContain('not trusted')
  expect(code).toBe(0)
  expect(project.exists('.github/hooks/logs')).toBe(true)
})

test('agents for VS Code have the hooks of their role in their headers', async () => {
  const project = createProject()
  await init(project, 'vscode')
  const verifier = project.read('.github/agents/verifier.agent.md')
  expect(verifier).toContain('node .github/hooks/scripts/security-check.mjs --agent verifier || exit 2')
  expect(verifier).toContain('node .github/hooks/scripts/subagent-quality-gate.mjs --agent verifier')
  expect(project.read('.github/agents/supervisor.agent.md')).toContain(
    'security-check.mjs --agent supervisor',
  )
})

test.each([
  ['{\n  "model": "opus",\n}', 3, /not valid JSON/],
  ['{\n  "hooks": { "Stop": "x" }\n}', 2, /"Stop" is not a list/],
])('invalid settings are rejected with their line: %j', async (text, line, reason) => {
  const project = createProject({ [settings]: text })
  const before = project.listing()
  for (const flags of [[], ['--force'], ['--dry-run']]) {
    const { code, stdout, stderr } = await init(project, 'claude', ...flags)
    expect(code).toBe(2)
    expect(stderr).toBe('')
    const { message } = JSON.parse(stdout)
    expect(message).toContain(`${project.at(settings)}:${line}: `)
    expect(message).toMatch(reason)
  }
  expect(project.listing()).toEqual(before)
})

test('a link in place of the settings is not followed, and nothing is written', async () => {
  const elsewhere = createProject({ 'settings.json': '{}' })
  const project = createProject({ '.claude/x': '' })
  symlinkSync(elsewhere.at('settings.json'), project.at(settings))
  const before = project.listing()
  const { code, stdout, stderr } = await init(project, 'claude')
  expect(code).toBe(2)
  expect(stdout + stderr).toContain('symbolic link already exists at this path')
  expect(elsewhere.read('settings.json')).toBe('{}')
  expect(project.listing()).toEqual(before)
})

test.skipIf(process.getuid?.() === 0)('nothing is written if a folder is not writable', async () => {
  const project = createProject({ [settings]: '{}' })
  chmodSync(project.at('.claude'), 0o500)
  const before = project.listing()
  const { code } = await init(project, 'claude')
  chmodSync(project.at('.claude'), 0o700)
  expect(code).toBe(2)
  expect(project.listing()).toEqual(before)
})

inDeep('the next init completes one that was killed at any point', async () => {
  const whole = createProject()
  const made = (await init(whole, 'claude')).json()[0]!['files'] as { path: string }[]
  const files = made.map(({ path }) => path.slice(whole.path.length + 1))
  const settled = whole.listing()
  // The settings come after the scripts, so that no program runs a missing script.
  expect(files.indexOf(settings)).toBeGreaterThan(files.indexOf('.github/hooks/scripts/tool-call.mjs'))
  for (const count of [1, 7, 9, 12, files.length - 1]) {
    const project = createProject()
    for (const file of files.slice(0, count)) project.write(file, whole.read(file))
    expect((await init(project, 'claude')).code).toBe(0)
    const names = (all: string[]) =>
      all.filter((name) => !name.startsWith('.config') && !name.includes('homes'))
    expect(names(project.listing())).toEqual(names(settled))
  }
})
