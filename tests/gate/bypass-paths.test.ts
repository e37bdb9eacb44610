import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCadre } from '../cli/support/cadre.ts'
import { recordOwnHome } from '../cli/support/own-home.ts'
import { createPathFixture, expandNames } from './path-fixture.ts'
import { pathTricks } from './path-tricks.ts'
import { stateOf } from './sandbox-support.ts'

/** Inside paths may be read and need approval to be written; all others are denied. */
const rows = pathTricks.flatMap(([given, read, write]) => [
  { tool: 'read_file', path: given, expect: read === 'inside' ? 'allow' : 'deny' },
  { tool: 'write_file', path: given, expect: write === 'inside' ? 'ask' : 'deny', content: 'x' },
  { tool: 'edit_file', path: given, expect: write === 'inside' ? 'ask' : 'deny', old: 'x', new: 'y' },
])

/** The ground as a project of the command: a home without settings, and the agent whose artifact is among the paths. */
function openFixture() {
  const fixture = createPathFixture()
  onTestFinished(() => rmSync(fixture.out, { recursive: true, force: true }))
  const home = path.join(fixture.ws, 'my-home')
  mkdirSync(path.join(home, 'templates'))
  writeFileSync(path.join(home, 'storage', 'policy.yaml'), '')
  const mine = { id: 'mine', description: 'm', system_prompt: 'm' }
  writeFileSync(path.join(home, 'templates', 'mine.agent.yaml'), JSON.stringify(mine))
  const flags = ['--trust', '--json', '--home', home, '--workspace', fixture.ws]
  // Before the comparison, because the record is not a file of the commands under test.
  recordOwnHome({ cwd: fixture.out, env: { HOME: fixture.user }, args: flags })
  const cadre = (args: readonly string[], input = '') =>
    runCadre(['policy', ...args, ...flags], { cwd: fixture.out, env: { HOME: fixture.user }, input })
  return { ground: fixture, cadre }
}

test('cadre policy test decides every spelling of a path correctly, for reading, writing and editing', async () => {
  const { ground: fixture, cadre } = openFixture()
  const calls = rows.map(({ tool, expect: decision, path: given, ...input }) => ({
    agent: 'mine',
    tool,
    input: { path: expandNames(given, fixture), ...input },
    expect: decision,
  }))
  const table = path.join(fixture.out, 'table.yaml')
  writeFileSync(table, JSON.stringify(calls))
  const before = stateOf(fixture.out, ['.'])
  const { json, stdout, stderr } = await cadre(['test', table])
  const [said] = json() as unknown as [
    {
      files: { failures: { tool: string; input: { path: string }; got: { decision: string } }[] }[]
      summary: { calls: number }
    },
  ]
  expect(said.summary?.calls, stdout + stderr).toBe(rows.length)
  expect(rows.length).toBeGreaterThanOrEqual(330)
  const wrong = said.files.flatMap(({ failures }) => failures)
  expect(wrong.map(({ tool, input, got }) => [tool, input.path, got.decision])).toEqual([])
  expect(stateOf(fixture.out, ['.'])).toEqual(before)
})

test('cadre policy explain reports where a path really leads, in a separate process', async () => {
  const { ground: fixture, cadre } = openFixture()
  const explain = async (tool: string, given: string, input: object = {}) => {
    const flags = ['explain', '--agent', 'mine', '--tool', tool, '--input', '-']
    return (await cadre(flags, JSON.stringify({ path: given, ...input }))).json()[0]
  }
  expect(await explain('read_file', 'link-to-link')).toMatchObject({
    decision: 'deny',
    by: 'policy',
    paths: [{ path: 'link-to-link', real: path.join(fixture.out, 'secret.txt'), decision: 'deny' }],
  })
  expect(await explain('Write', 'link-git/config', { content: 'x' })).toMatchObject({ decision: 'deny' })
  expect(await explain('read_file', 'src/link-inside')).toMatchObject({
    decision: 'allow',
    paths: [{ real: path.join(fixture.ws, 'src', 'a.txt') }],
  })
})
