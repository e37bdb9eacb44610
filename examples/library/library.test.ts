import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const run = promisify(execFile)

test('the program from the README runs a team, offline', async () => {
  const project = mkdtempSync(join(tmpdir(), 'cadre-library-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  cpSync(folder, project, { recursive: true })
  const env = { ...process.env, CADRE_MODEL: 'scripted:playbook.yaml', CADRE_HOME: '' }
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
