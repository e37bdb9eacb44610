import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bubblewrap } from '../gate/sandbox-support.ts'
import { callsOf } from '../gate/support/calls.ts'
import { programsWithout } from './support/programs.ts'
import { createProject } from './support/project.ts'

const seed = 20_261_116
const count = 1_000
const together = 50
const calls = fc.sample(callsOf, { seed, numRuns: count })

interface Decision {
  readonly decision: string
  readonly by: string
  readonly rule: string
  readonly reason?: string
  readonly risk?: string
  readonly reasons?: readonly string[]
}

test.skipIf(bubblewrap.kind === 'none')('a run decides 1,000 calls as `cadre policy` predicted', () =>
  agree({}),
)
test('the same without bubblewrap', () => agree({ PATH: programsWithout('bwrap') }))

/** The real command, before and in a real run. Every allowed call runs. */
async function agree(env: Record<string, string>): Promise<void> {
  const rounds = Array.from({ length: count / together }, (_, at) => ({
    calls: calls.slice(at * together, (at + 1) * together),
  }))
  const project = createProject({
    'src/a.ts': 'x\n',
    'src/-o': 'x\n',
    'package.json': '{}\n',
    'sub/x': 'x\n',
    '.config/cadre/terminal-cmd-allowlist.yaml':
      'echo: true\ntouch: true\ngit add: true\nrm: ask\ncurl: deny\nnode: deny\nnpm: deny\n',
    // Nothing can be asked here, so the table prints every decision.
    'table.yaml': calls.map((call) => ({ ...call, expect: 'ask' })),
    'model.yaml': { lanes: { assistant: [...rounds, { reply: 'done' }] } },
  })
  symlinkSync('/usr', project.at('out'))
  execFileSync('git', ['init', '-q'], { cwd: project.path })
  const flags = ['--json', '--no-human', '--trust']
  const table = await project.cadre(['policy', 'test', 'table.yaml', ...flags], { env, ownProcess: true })
  const [{ files }] = table.json() as unknown as [{ files: [{ failures: { got: Decision }[] }] }]
  const run = await project.cadre(['run', ...flags, '--model', 'scripted:model.yaml', 'Do it.'], {
    env,
    ownProcess: true,
  })
  const judged = run.json().filter(({ type }) => type === 'call.judged') as unknown as Decision[]
  const said = files[0].failures.map(({ got }) => got)
  expect(run.json().at(-1)).toMatchObject({ type: 'report', status: 'completed' })
  expect(said).toHaveLength(count)
  expect(judged.map(shown)).toEqual(said.map(shown))
  for (const decision of ['allow', 'deny'])
    expect(said.filter((one) => one.decision === decision).length).toBeGreaterThan(100)
}

function shown({ decision, by, rule, reason, risk, reasons }: Decision, at: number) {
  // A run reports why it refuses; only the table reports why it allows.
  return { call: calls[at], decision, by, rule, risk, reasons, ...(decision !== 'allow' && { reason }) }
}
