import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Home, openHome, type TrustItem } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { planRule } from './plan-rule.ts'

const list = 'terminal-cmd-allowlist.yaml'
const added: TrustItem[] = []
const trust = { add: (items: readonly TrustItem[]) => void added.push(...items) }

function createHome(text?: string): Home {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-rule-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = openHome({ home: join(folder, 'home'), cwd: folder, env: {} })
  if (text !== undefined) writeFileSync(join(home.folder('storage'), list), text)
  return home
}

test('shows the lines before it writes anything, and writes them as shown', async () => {
  const home = createHome('# mine \u00e9\ngit status: true\n')
  const plan = planRule(home, ['command: npm test', 'command: git status'], trust)
  if (plan.kind !== 'ready') throw new Error(plan.reason)
  expect(plan.lines).toEqual(['npm test: true'])
  expect(readFileSync(plan.path, 'utf8')).not.toContain('npm')
  // Another process adds a line meanwhile.
  writeFileSync(plan.path, `${readFileSync(plan.path, 'utf8')}ls: true\n`)
  await plan.write()
  expect(readFileSync(plan.path, 'utf8')).toBe('# mine \u00e9\ngit status: true\nls: true\nnpm test: true\n')
})

test('creates a missing list', async () => {
  const home = createHome()
  const plan = planRule(home, ['command: cargo build --release'], trust)
  if (plan.kind === 'ready') await plan.write()
  expect(readFileSync(home.at('storage', list), 'utf8')).toBe('cargo build --release: true\n')
  // Recorded outside the home, so that the rule counts as the user's own.
  expect(added.at(-1)?.path).toBe(`${home.at('storage', list)}#cargo build --release`)
})

test.each([
  [[]],
  [['write: a.txt']],
  [['command: rm *']],
  [['command: /usr/bin/x']],
  [['command: /x/']],
  [['command: a $(b)']],
  [['command: a\nb']],
  [['command: ']],
  [['command: npm test', 'command: a|b']],
])('%j cannot become a rule', (grants) => {
  expect(planRule(createHome(), grants, trust)).toMatchObject({ kind: 'refused' })
})

test('fails if the allowlist contradicts the rule or is not a file', () => {
  expect(planRule(createHome('npm test: deny\n'), ['command: npm test'], trust)).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining(':1: npm test is already set to "deny"'),
  })
  const home = createHome()
  mkdirSync(home.folder('storage', list), { recursive: true })
  expect(() => planRule(home, ['command: npm test'], trust)).toThrow(/regular file/)
})
