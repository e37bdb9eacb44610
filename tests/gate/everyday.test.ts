import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readYaml } from '@cadre/disk'
import { createPathResolver, judgeLine, readAllowlist } from '@cadre/gate'
import { afterAll, expect, test } from 'vitest'

const file = path.join(import.meta.dirname, 'everyday.yaml')
const read = readYaml({ text: readFileSync(file, 'utf8'), path: file })
if (read.kind === 'broken') throw new Error(JSON.stringify(read.diagnostics))
const lines = read.root.value as unknown as readonly string[]

/** The programs that a developer of such a project would list. */
const list = 'git npm npx node python3 pytest make cargo go mkdir touch cp mv curl'
  .split(' ')
  .map((name) => `${name}: true\n`)
  .join('')

const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-everyday-')))
afterAll(() => rmSync(workspace, { recursive: true, force: true }))
for (const name of [
  'src/index.ts',
  'src/util.ts',
  'src/a.ts',
  'packages/core/a.ts',
  'package.json',
  'README.md',
  'data.txt',
  'tsconfig.json',
  'logs/app.log',
]) {
  mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true })
  writeFileSync(path.join(workspace, name), '{}\n')
}
execFileSync('git', ['init', '-q'], { cwd: workspace })

function asked(sandboxed: boolean): readonly string[] {
  const { allowlist, diagnostics } = readAllowlist(list, 'list.yaml', () => true)
  expect(diagnostics).toEqual([])
  return lines.filter((line) => {
    const verdict = judgeLine(line, workspace, {
      allowlists: () => [allowlist],
      execute: 'ask',
      write: 'allow',
      sandboxed,
      places: createPathResolver({ project: workspace, home: path.join(workspace, '.cadre') }),
      beforehand: true,
      searchPath: process.env['PATH'],
      excluded: [workspace],
    })
    expect(verdict.kind, line).not.toBe('deny')
    return verdict.kind === 'ask'
  })
}

test('there are a hundred and fifty lines, without duplicates', () => {
  expect(lines.length).toBeGreaterThanOrEqual(150)
  expect(new Set(lines).size).toBe(lines.length)
})

test('in the sandbox at most fifteen of them need approval', () => {
  const some = asked(true)
  expect(some.length, some.join('\n')).toBeLessThanOrEqual(15)
})

test('without a sandbox, with the user’s own list, at most forty of them need approval', () => {
  const some = asked(false)
  expect(some.length, some.join('\n')).toBeLessThanOrEqual(40)
})
