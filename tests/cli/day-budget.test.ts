import { expect, test } from 'vitest'
import { createProject } from './support/project.ts'

const dear = { usage: { input: 3_000, output: 300 } }
const playbook = { lanes: { '*': [{ reply: 'done', ...dear }] } }

test('budgets.day applies to all runs of a home, and status and doctor show it', async () => {
  const project = createProject({
    'p.yaml': playbook,
    '.cadre/config.yaml': { budgets: { day: { tokens: 50_000 }, agents: { nobody: { cost: 1 } } } },
  })
  const run = () => project.cadre(['run', '--trust', '--json', '--model', 'scripted:p.yaml', 'x'])
  // Both reserve more than they spend, so one may wait for the other.
  const both = await Promise.all([run(), run()])
  for (const one of both) expect(one.json().at(-1)).toMatchObject({ status: 'completed' })
  const budgets = [
    { name: 'budgets.day', tokens: { limit: 50_000, spent: 6_600, reserved: 0 } },
    { name: 'budgets.agents.nobody', cost: { limit: 1, spent: 0, reserved: 0 } },
  ]
  const env = { CADRE_TRUST: '1' }
  expect((await project.cadre(['status', '--json'], { env })).json().at(-1)).toMatchObject({ budgets })
  expect((await project.cadre(['status'], { env })).stdout).toContain(
    'budgets.day: 6600 of 50000 tokens spent today',
  )
  project.write('.cadre/config.yaml', { budgets: { day: { tokens: 6_650 } } })
  const refused = await project.cadre(['run', '--trust', '--model', 'scripted:p.yaml', 'x'])
  expect(refused.stderr).toMatch(
    /note: budgets\.day \(6650 tokens a day\) does not allow another request today: 6600 tokens are spent, and the next request can use \d+\. Raise it in config\.yaml or in the policy that sets it, or resume the session tomorrow \(UTC\)/,
  )
  expect(refused.code).toBe(1)
  const doctor = await project.cadre(['doctor', '--json'], { env })
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; status: string }[] }
  expect(checks.filter(({ name }) => name === 'budgets')).toMatchObject([{ status: 'warn' }])
})

test('a policy lowers budgets.day, and cannot raise it', async () => {
  const project = createProject({
    'p.yaml': playbook,
    '.cadre/config.yaml': { budgets: { day: { tokens: 50_000 } } },
    '.cadre/storage/policy.yaml': { budgets: { day: { tokens: 10 } } },
  })
  const run = () => project.cadre(['run', '--trust', '--model', 'scripted:p.yaml', 'x'])
  const refused = await run()
  expect(refused.stderr).toContain('budgets.day (10 tokens a day) does not allow another request today')
  expect(refused.code).toBe(1)
  const limitNow = async () => {
    const status = await project.cadre(['status', '--json'], { env: { CADRE_TRUST: '1' } })
    return status.json().at(-1)?.['budgets'] as unknown
  }
  expect(await limitNow()).toMatchObject([{ name: 'budgets.day', tokens: { limit: 10 } }])
  project.write('.cadre/storage/policy.yaml', { budgets: { day: { tokens: 90_000 } } })
  expect(await limitNow()).toMatchObject([{ tokens: { limit: 50_000 } }])
  expect((await run()).code).toBe(0)
})

test('a wrong key in budgets is reported with its line', async () => {
  const project = createProject({
    'p.yaml': playbook,
    '.cadre/config.yaml': 'budgets:\n  teams:\n    review: {tokens: 5}\n',
  })
  const { stderr, code } = await project.cadre(['run', '--trust', '--model', 'scripted:p.yaml', 'x'])
  expect(stderr).toContain('config.yaml:3')
  expect(stderr).toContain('agents')
  expect(code).toBe(2)
})
