import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { listTeams } from '@cadre/agents'
import { expect, test } from 'vitest'
import { bin } from '../tests/cli/support/cadre.ts'
import { createProject } from '../tests/cli/support/project.ts'
import { isDeep, share } from '../tests/support/amount.ts'
import { examples } from './support/example.ts'

/** The commands in the code blocks of a README, which are run unchanged. */
function commandsIn(readme: string): string[] {
  const text = readFileSync(path.join(examples, readme), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'))
  return blocks.filter((line) => line.includes('npm exec cadre --'))
}

/** The words of such a line, and its standard input. */
function wordsOf(line: string): [args: string[], options: { readonly input: string }] {
  const [before = '', after = ''] = line.split('npm exec cadre -- ')
  const args = [...after.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
  return [args, { input: /printf '(.*)'/.exec(before)?.[1]?.replaceAll('\\n', '\n') ?? '' }]
}

const tour = commandsIn('README.md')
const teamOf = (line: string) => /--team (\S+)/.exec(line)?.[1] ?? ''

test('the tour covers every team, and each example shows the same commands', () => {
  expect(new Set(tour.map(teamOf))).toEqual(new Set(listTeams().map(({ name }) => name)))
  for (const line of tour) expect(commandsIn(`${teamOf(line)}/README.md`)).toContain(line)
  expect(commandsIn('../README.md')).toEqual(expect.arrayContaining(tour))
})

// `npm test` runs every second line, and the first one also in its own process; `npm run test:deep` runs all of them both ways.
test.each(share(tour, 4).map((line, index) => [line.slice(0, 60), line, isDeep || index === 0] as const))(
  '%s… works',
  async (_, line, startsProcess) => {
    const project = createProject()
    cpSync(path.join(examples, teamOf(line)), project.at('examples', teamOf(line)), { recursive: true })
    // As npm would, without its startup time.
    const command = line.replace('npm exec cadre --', `'${process.execPath}' '${bin}'`)
    const env = { PATH: process.env['PATH'] ?? '', HOME: project.path }
    const start = () => {
      const running = promisify(execFile)('sh', ['-c', command], { cwd: project.path, env })
      running.child.stdin?.end()
      return running
    }
    const runHere = () => project.cadre(...wordsOf(line))
    for (const run of startsProcess ? [start, runHere] : [runHere]) {
      const { stdout, stderr } = await run()
      const all = `${stdout}\n${stderr}`
      expect(all).toMatch(/^completed · \d+ session/m)
      expect(stdout).not.toBe('')
      expect(stderr).not.toMatch(/^cadre: /m)
      expect(all).not.toMatch(/^(error|incomplete|cancelled) · /m)
    }
  },
)
