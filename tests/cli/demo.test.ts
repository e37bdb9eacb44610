import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

test('the demo does real work offline, says that its model is scripted, and shows where everything is', async () => {
  const project = createProject()
  const { code, stdout, stderr } = await project.cadre(['demo', '--dir', 'demo'])
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toContain('The model is scripted')
  expect(stdout).toContain('--model openai:NAME')
  expect(stdout).toMatch(/completed · 6 sessions/)
  expect(stdout).not.toMatch(/refused|failed/)
  // The three that were asked at the same time have all begun before the first of them ended.
  const first = stdout.search(/^(researcher|architect|tester): completed/m)
  for (const agent of ['researcher', 'architect', 'tester']) {
    const started = stdout.search(new RegExp(`^${agent}: started`, 'm'))
    expect(started).toBeGreaterThan(0)
    expect(started).toBeLessThan(first)
  }
  expect(stdout.search(/^builder: started/m)).toBeGreaterThan(stdout.search(/^architect: completed/m))
  expect(project.read('demo/src/server.js')).toContain('createLimit')
  const tree = /cadre (sessions tree --home \S+)/.exec(stdout)?.[1]
  expect((await project.cadre(tree!.split(' '))).stdout).toContain('verifier')
  // What the team wrote works.
  const tests = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], {
    cwd: project.at('demo'),
    encoding: 'utf8',
  })
  expect(tests.stdout).toMatch(/^# pass 2$/m)
})

test('without a folder the demo makes one of its own, and keeps it', async () => {
  const project = createProject()
  project.write('tmp/x', '')
  const { code, json } = await project.cadre(['demo', '--json'], { env: { TMPDIR: project.at('tmp') } })
  expect(code).toBe(0)
  expect(json().at(-1)).toMatchObject({ type: 'report', status: 'completed' })
  expect(project.listing().some((line) => /^tmp\/cadre-demo-\w+\/src\/rate-limit\.js /.test(line))).toBe(true)
})
