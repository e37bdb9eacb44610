import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { share } from '../support/amount.ts'
import { createProject } from './support/project.ts'

const examples = path.join(import.meta.dirname, '..', '..', 'examples')

/** The runs of the tour, as its README has them. */
const runs = readFileSync(path.join(examples, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('npm exec cadre -- run'))
  .map((line) =>
    [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '').slice(4),
  )

test.each(share(runs, 4).map((args) => [args[args.indexOf('--team') + 1] ?? '', args] as const))(
  'a replay of the team %s right after its run finds no difference and changes nothing',
  async (team, args) => {
    const project = createProject()
    cpSync(path.join(examples, team), project.at('examples', team), { recursive: true })
    expect((await project.cadre(args)).code).toBe(0)
    const [newest] = JSON.parse((await project.cadre(['sessions', 'list', '--roots', '--json'])).stdout)
    expect((await project.cadre(['record', newest.id, '--out', 'run.fixture.json'])).code).toBe(0)
    const before = project.listing()
    const ended = await project.cadre([
      'replay',
      'run.fixture.json',
      '--workspace',
      `examples/${team}/workspace`,
    ])
    expect(ended.stdout).toMatch(/^\d+ sessions, \d+ calls: no difference\n$/)
    expect(ended.code).toBe(0)
    expect(project.listing()).toEqual(before)
  },
)

test('the example in docs/replay.md', async () => {
  const docs = readFileSync(path.join(examples, '..', 'docs', 'replay.md'), 'utf8')
  const line = /^npm exec cadre -- (replay .*)$/m.exec(docs)?.[1] ?? ''
  const project = createProject()
  cpSync(path.join(examples, 'planner'), project.at('examples', 'planner'), { recursive: true })
  const { code, stdout } = await project.cadre(line.split(' '))
  // If the planner has changed, accept that: run the command with --update, and review the fixture.
  expect([code, stdout]).toEqual([0, '3 sessions, 5 calls: no difference\n'])
})
