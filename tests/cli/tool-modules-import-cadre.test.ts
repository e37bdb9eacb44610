import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from './support/cadre.ts'

const tool = `import { defineTool, object, string } from 'cadre'
export const shout = defineTool({
  name: 'shout', description: 'Says it louder', class: 'read', effect: 'read',
  input: object({ text: string('What to say') }),
  run: async ({ text }) => ({ content: text.toUpperCase() }),
})
`
const playbook = `lanes:
  assistant:
    - calls: [{ tool: shout, input: { text: hello } }]
    - reply: The tool answered.
`

/**
 * Runs a project whose tool module is `source`. `copy`: the folder whose `node_modules` has a copy of `cadre`.
 * `outside/shout.mjs` is in no project.
 */
function runProject(source: string, copy = 'project'): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-own-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  write('outside/shout.mjs', tool)
  write('project/.cadre/config.yaml', 'tools: [shout.mjs]\n')
  write('project/.cadre/shout.mjs', source)
  write('project/playbook.yaml', playbook)
  const modules = path.join(folder, copy, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(path.join(path.dirname(bin), '..'), path.join(modules, 'cadre'))
  const args = [bin, 'run', '--trust', '--json', '--model', 'scripted:playbook.yaml', 'Say hello']
  const env = { PATH: process.env['PATH'], HOME: folder, NODE_PATH: modules }
  return execFileSync(process.execPath, args, {
    cwd: path.join(folder, 'project'),
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  })
}

test('a tool module imports the copy of cadre that its project has', () => {
  expect(runProject(tool)).toContain('HELLO')
})

test('a tool module imports another module that has no copy of cadre', () => {
  expect(runProject("export * from '../../outside/shout.mjs'\n")).toContain('HELLO')
})

test('a tool module imports cadre if only NODE_PATH has a copy, which imports do not search', () => {
  expect(runProject(tool, 'elsewhere')).toContain('HELLO')
})
