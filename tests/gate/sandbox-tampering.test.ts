import { readdirSync } from 'node:fs'
import { openAuditLog } from '@cadre/gate'
import { openHome } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { isDeep, share } from '../support/amount.ts'
import { tampering } from './sandbox-escapes.ts'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

// `npm test` tries every row in one of the two ways, `npm run test:deep` in both.
describe.skipIf(bubblewrap.kind === 'none')(
  'under bubblewrap, nothing protected is changed by a command that',
  () => {
    it.each(share(tampering, 4))('%s', async (_, command) => {
      const before = world.protectedState()
      const end = await world.run(command)
      expect(world.protectedState()).toEqual(before)
      expect(end.kind).toBe('exited')
      expect(end.changes.every((change) => change.undone)).toBe(true)
      // It failed, or its changes were undone and reported.
      expect(end.code !== 0 || end.output !== '' || end.changes.length > 0).toBe(true)
    })
  },
)

describe('without a sandbox, it is undone and reported when a command', () => {
  const harmless = new Set(['puts a mount on it', 'takes the mount away', 'in namespaces of its own'])
  it.each(share(tampering, 4, 1).filter(([name]) => !harmless.has(name)))('%s', async (_, command) => {
    const before = world.protectedState()
    const end = await world.run(command, { sandbox: without })
    expect(world.protectedState()).toEqual(before)
    expect(end.changes).not.toEqual([])
    expect(end.changes.every((change) => change.undone)).toBe(true)
  })
})

describe('in a workspace in the home', () => {
  const files = ['.github/hooks/pre.json', '.github/agents/lead.agent.md', '.claude/settings.json']
  it.each([
    ['under bubblewrap', bubblewrap],
    ['without a sandbox', without],
  ] as const)('%s protected files there are not changed by a command', async (_, sandbox) => {
    const workspace = world.at('.cadre', 'workspaces', 'one')
    for (const file of files) world.write(`.cadre/workspaces/one/${file}`, 'as it was')
    const command = `${files.map((file) => `echo evil > ${file}`).join('; ')}; echo evil > .github/hooks/new.json; echo fine > a.txt`
    await world.run(command, { sandbox, workspace })
    for (const file of files) expect(world.read(`.cadre/workspaces/one/${file}`)).toBe('as it was')
    expect(() => world.read('.cadre/workspaces/one/.github/hooks/new.json')).toThrow('ENOENT')
    expect(world.read('.cadre/workspaces/one/a.txt')).toBe('fine\n')
  })
})

it('a removed session record is saved: it may be of another process', async () => {
  await world.run('echo somebody > .cadre/sessions/fake.session.yaml', { sandbox: without })
  const folder = world.at('.cadre', 'storage', 'undone')
  const [name = ''] = readdirSync(folder)
  expect(name).toMatch(/^\d+-fake\.session\.yaml$/)
  expect(world.read(`.cadre/storage/undone/${name}`)).toBe('somebody\n')
})

it('lines that the session itself adds to the audit log meanwhile stay', async () => {
  const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
  const log = openAuditLog({ home, tell: () => {} })
  const forged = `echo '{"type":"forged"}' >> .cadre/events/2026-01-01.jsonl; echo '{"type":"forged"}' >> .cadre/events/2026-01-03.jsonl`
  const running = world.run(`until test -e go; do sleep 0.05; done; ${forged}`, { sandbox: without })
  log.append({ at: '2026-01-01T00:00:00.000Z', type: 'own' })
  log.append({ at: '2026-01-03T00:00:00.000Z', type: 'own' })
  world.write('go', '')
  const { changes } = await running
  log.close()
  expect(world.read('.cadre/events/2026-01-01.jsonl')).toBe(
    '{"type":"x"}\n{"at":"2026-01-01T00:00:00.000Z","type":"own"}\n',
  )
  expect(world.read('.cadre/events/2026-01-03.jsonl')).toBe(
    '{"at":"2026-01-03T00:00:00.000Z","type":"own"}\n',
  )
  expect(changes).toHaveLength(2)
})

it.runIf(isDeep)('a change hidden behind too many files is still undone', async () => {
  const before = world.protectedState()
  const many = `i=0; while [ $i -lt 210 ]; do mkdir -p .claude/agents/d$i; i=$((i+1)); done; for d in .claude/agents/d*; do (cd $d && seq 1 100 | xargs touch); done`
  const { changes } = await world.run(`${many}; echo evil > .github/hooks/evil.json; echo evil > .mcp.json`, {
    sandbox: without,
  })
  expect(world.protectedState()).toEqual(before)
  expect(changes.every(({ undone }) => undone)).toBe(true)
})

it('a secret in the environment of Cadre itself is not in the output of a command', async () => {
  vi.stubEnv('SOME_API_KEY', 'a-key-that-nobody-sees')
  onTestFinished(() => void vi.unstubAllEnvs())
  world.write('key.txt', 'it is a-key-that-nobody-sees.')
  expect((await world.run('cat key.txt', { sandbox: without })).output).toBe('it is ***.')
})
