import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const run = promisify(execFile)

function createProject(): string {
  const project = mkdtempSync(join(tmpdir(), 'cadre-library-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  cpSync(folder, project, { recursive: true })
  return project
}

test('the program from the README runs a team, offline', async () => {
  const project = createProject()
  const env = { PATH: process.env['PATH'], HOME: project, CADRE_MODEL: 'scripted:playbook.yaml' }
  // From its own folder, so that it finds the packages; in the project, so that it changes nothing here.
  const { stdout, stderr } = await run(process.execPath, [join(folder, 'team.mjs')], { cwd: project, env })
  expect(stdout).toContain('Hello from a team of two')
  expect(stderr).toMatch(/lead-\w+ delegateWork[\s\S]*greeter-\w+ write_file/)
  expect(readFileSync(join(project, 'hello.txt'), 'utf8')).toBe('Hello from a team of two\n')
  expect(readdirSync(join(project, '.cadre', 'sessions'))).toHaveLength(2)
})

test('the README shows the same program', () => {
  const readme = readFileSync(join(folder, '..', '..', 'README.md'), 'utf8')
  const shown = /```js\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(shown).toBe(readFileSync(join(folder, 'team.mjs'), 'utf8'))
})

test('without a grant, Cadre asks before an agent writes, and continues once a person approves', async () => {
  const project = createProject()
  const env = { PATH: process.env['PATH'], HOME: project, CADRE_MODEL: 'scripted:playbook.yaml' }
  const approving = (more: object = {}) =>
    run(process.execPath, [join(folder, 'approve.mjs')], { cwd: project, env: { ...env, ...more } })
  const waiting = await approving()
  expect(waiting.stdout).toMatch(/^Session lead-\w+ is suspended/)
  expect(waiting.stderr).toContain('write_file ask effects.write')
  expect(waiting.stderr).toMatch(/greeter wants to use write_file .*hello\.txt/)
  expect(existsSync(join(project, 'hello.txt'))).toBe(false)
  const approved = await approving({ APPROVE: 'ada' })
  expect(approved.stdout).toContain('Hello from a team of two')
  expect(readFileSync(join(project, 'hello.txt'), 'utf8')).toBe('Hello from a team of two\n')
})

test('the guide shows the program that asks', () => {
  const guide = readFileSync(join(folder, '..', '..', 'docs', 'library.md'), 'utf8')
  expect(guide).toContain(`\`\`\`js\n${readFileSync(join(folder, 'approve.mjs'), 'utf8')}\`\`\``)
})
