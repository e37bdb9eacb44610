import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTrust, type Home, openHome, type Trust } from '@cadre/files'
import { expect, onTestFinished, test } from 'vitest'
import { planRule } from './plan-rule.ts'

const list = 'terminal-cmd-allowlist.yaml'

function createHome(text?: string): Home {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-rule-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = openHome({ home: join(folder, 'home'), cwd: folder, env: {} })
  if (text !== undefined) writeFileSync(join(home.folder('storage'), list), text)
  return home
}

function createRecord(): Trust {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-rule-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return createTrust({ file: join(folder, 'trust.yaml') })
}

const itemOf = (path: string) => ({
  path,
  sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
})

test('a list stays trusted with what a person adds, and one that nobody trusts does not become so', async () => {
  const trust = createRecord()
  const own = createHome('rm: ask\n')
  const first = planRule(own, ['command: npm test'], trust)
  if (first.kind === 'ready') await first.write()
  expect(trust.trusts(itemOf(own.at('storage', list)))).toBe(true)
  const second = planRule(own, ['command: npm run build'], trust)
  if (second.kind === 'ready') await second.write()
  expect(trust.trusts(itemOf(own.at('storage', list)))).toBe(true)
  const foreign = createHome('rm: true\n')
  const third = planRule(foreign, ['command: npm test'], trust)
  if (third.kind === 'ready') await third.write()
  expect(readFileSync(foreign.at('storage', list), 'utf8')).toContain('npm test')
  expect(trust.trusts(itemOf(foreign.at('storage', list)))).toBe(false)
})

test('the lines are shown before anything is written, and written as shown', async () => {
  const home = createHome('# mine \u00e9\ngit status: true\n')
  const plan = planRule(home, ['command: npm test', 'command: git status'], createRecord())
  if (plan.kind !== 'ready') throw new Error(plan.reason)
  expect(plan.lines).toEqual(['npm test: true'])
  expect(readFileSync(plan.path, 'utf8')).not.toContain('npm')
  // Somebody else adds to it meanwhile.
  writeFileSync(plan.path, `${readFileSync(plan.path, 'utf8')}ls: true\n`)
  await plan.write()
  expect(readFileSync(plan.path, 'utf8')).toBe('# mine \u00e9\ngit status: true\nls: true\nnpm test: true\n')
})

test('a list that is not there is made', async () => {
  const home = createHome()
  const plan = planRule(home, ['command: cargo build --release'], createRecord())
  if (plan.kind === 'ready') await plan.write()
  expect(readFileSync(home.at('storage', list), 'utf8')).toBe('cargo build --release: true\n')
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
])('%j is no rule', (grants) => {
  expect(planRule(createHome(), grants, createRecord())).toMatchObject({ kind: 'refused' })
})

test('where the list says otherwise, or is no file, a person has to look', () => {
  expect(planRule(createHome('npm test: deny\n'), ['command: npm test'], createRecord())).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining(':1 says npm test: "deny"'),
  })
  const home = createHome()
  mkdirSync(home.folder('storage', list), { recursive: true })
  expect(() => planRule(home, ['command: npm test'], createRecord())).toThrow(/plain file/)
})
