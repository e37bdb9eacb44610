import { execFileSync, spawnSync } from 'node:child_process'
import { readShippedHooks } from '@cadre/gate'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { inDeep } from '../support/amount.ts'

const init = ['init', '--json', '--team', 'supervisor'] as const
const config = '.github/hooks/copilot-hooks.json'
const hooksOf = ([line]: Record<string, unknown>[]) =>
  (line!['files'] as { path: string; status: string }[]).filter(({ path }) =>
    /hooks\/(?:copilot-hooks\.json$|scripts\/|artifacts\/)/.test(path),
  )

inDeep('the hooks of a team are installed with it, work there, and stay unchanged', async () => {
  const project = createProject({ 'src/a.js': 'a' })
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  const planned = await project.cadre([...init, '--dry-run'])
  expect(hooksOf(planned.json()).map(({ status }) => status)).toContain('created')
  expect(project.exists('.github')).toBe(false)

  const made = hooksOf((await project.cadre(init)).json())
  expect(made.map(({ path }) => path)).toEqual(readShippedHooks().map(({ path }) => project.at(path)))
  for (const { path, text } of readShippedHooks()) expect(project.read(path)).toBe(text)

  const { hooks } = JSON.parse(project.read(config)) as {
    hooks: Record<string, { command: string; cwd: string }[]>
  }
  expect(Object.keys(hooks)).toEqual(['SessionStart', 'PreToolUse', 'SubagentStop'])
  const call = {
    agent_type: 'architect',
    tool_name: 'create_file',
    tool_input: { filePath: 'src/a.js', content: '' },
  }
  for (const [entry] of Object.values(hooks)) {
    const cwd = project.at(entry!.cwd)
    const ended = spawnSync(entry!.command, {
      shell: true,
      cwd,
      input: JSON.stringify(call),
      encoding: 'utf8',
    })
    expect(ended.stderr).toBe('')
    expect(ended.status).toBe(0)
    if (entry!.command.includes('security-check')) expect(ended.stdout).toContain('"deny"')
  }
  // Artifacts and logs of workers are not part of the project.
  project.write('.github/hooks/artifacts/architect.md', 'x')
  const status = execFileSync('git', ['status', '--porcelain', '-uall'], {
    cwd: project.path,
    encoding: 'utf8',
  })
  expect(status).toContain(config)
  expect(status).not.toMatch(/architect\.md$|logs/m)

  const again = hooksOf((await project.cadre(init)).json())
  expect(new Set(again.map(({ status: one }) => one))).toEqual(new Set(['unchanged']))
})

test("a person's own hooks are never overwritten", async () => {
  const project = createProject({ [config]: '{"hooks":{}}' })
  const before = project.listing()
  const { code, stderr } = await project.cadre(['init', '--team', 'supervisor'])
  expect(code).toBe(2)
  expect(stderr).toContain(`${project.at(config)}: It already exists and differs`)
  expect(project.listing()).toEqual(before)
})

test.each(['opencode', 'template'])('a team for %s has no hooks', async (to) => {
  const project = createProject()
  await project.cadre([...init, '--to', to])
  expect(project.exists('.github')).toBe(false)
  expect(project.exists('scripts')).toBe(false)
})

test('the scripts need only Node and each other', () => {
  const imports = readShippedHooks().flatMap(({ text }) =>
    [...text.matchAll(/from '(.+)'$/gm)].map(([, from]) => from),
  )
  expect(imports.length).toBeGreaterThan(8)
  for (const from of imports) expect(from).toMatch(/^(?:node:|\.\/)/)
})
