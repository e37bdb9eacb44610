import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRuntime, type RuntimeOptions } from './create-runtime.ts'
import { findAvailableAgents } from './find-available-agents.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-editor-')))
  const lanes = {
    a: [{ reply: 'I am a' }],
    coordinator: [{ reply: 'I coordinate' }],
    lone: [{ reply: 'I am lone' }],
  }
  writeFileSync(path.join(folder, 'p.yaml'), JSON.stringify({ lanes }))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const environment = () => ({
  cwd: folder,
  env: { PATH: process.env['PATH'], HOME: folder },
  warn: () => {},
})
const empty = { path: 'VS Code settings', text: '{}', team: 'coordinator' }

async function answer(options: RuntimeOptions): Promise<string> {
  const runtime = await createRuntime({
    model: 'scripted:p.yaml',
    trust: true,
    environment: environment(),
    ...options,
  })
  try {
    const result = await runtime.run('Say who you are')
    return result.kind === 'report' ? result.report.text : result.kind
  } finally {
    await runtime.close()
  }
}

function writeAgent(name: string): void {
  mkdirSync(path.join(folder, '.github', 'agents'), { recursive: true })
  const text = `---\nname: ${name}\ndescription: From a file\n---\nDo it.\n`
  writeFileSync(path.join(folder, '.github', 'agents', `${name}.agent.md`), text)
}

test('starts the entry agent of the editor’s settings', async () => {
  const agent = (name: string) => ({
    name,
    systemPrompt: 'Say who you are.',
    description: 'd',
    useFor: 'u',
    delegationPermissions: { type: 'none' },
    toolPermissions: { type: 'none' },
  })
  const text = JSON.stringify({
    'copilotMultiAgent.entryAgent': 'a',
    'copilotMultiAgent.agents': [agent('coordinator'), agent('a')],
  })
  expect(await answer({ settings: { ...empty, text } })).toBe('I am a')
})

test('uses the editor’s team only if nothing defines agents', async () => {
  expect(await answer({ settings: empty })).toBe('I coordinate')
  writeAgent('lone')
  expect(await answer({ settings: empty })).toBe('I am lone')
})

test('does not replace a broken agent file with the editor’s team', async () => {
  writeAgent('lone')
  writeFileSync(
    path.join(folder, '.github', 'agents', 'lone.agent.md'),
    '---\nname: lone\ndescription: d\nmaxTurns: broken\n---\nDo it.\n',
  )
  await expect(answer({ settings: empty })).rejects.toMatchObject({ code: 'configuration' })
})

test('starts the agent file that the editor’s settings name, and ignores an unknown name', async () => {
  writeAgent('a')
  writeAgent('lone')
  const entryOf = async (entry: string) =>
    (await findAvailableAgents(environment(), { settings: { ...empty, entry } })).entry
  expect(await entryOf('a')).toBe('a')
  expect(await entryOf('lone')).toBe('lone')
  expect(await entryOf('nobody')).toBe('assistant')
})

test.each(['started', 'resumed'])('permits nothing because of a team that nobody chose: %s', async (how) => {
  const decisionFor = async (options: RuntimeOptions) => {
    const runtime = await createRuntime({
      model: 'scripted:p.yaml',
      trust: true,
      environment: environment(),
      ...options,
    })
    try {
      const agent = runtime.agents.get('test-engineer')
      const call = { tool: 'write_file', input: { path: 'a.txt', content: 'a' } }
      const { verdict } = await runtime.orchestrator.explain(
        { chain: [agent!], workspace: folder, ...call },
        new AbortController().signal,
      )
      return verdict.kind
    } finally {
      await runtime.close()
    }
  }
  const resumed = how === 'resumed' ? { team: 'coordinator', targets: ['test-engineer'] } : {}
  expect(await decisionFor({ settings: empty, ...resumed })).toBe('ask')
  expect(await decisionFor({ team: 'coordinator' })).toBe('allow')
})

test('uses the agents in a team without its permissions on request', async () => {
  const runtime = await createRuntime({
    model: 'scripted:p.yaml',
    trust: true,
    environment: environment(),
    team: 'coordinator',
    teamPermits: false,
  })
  const call = { tool: 'write_file', input: { path: 'a.txt', content: 'a' } }
  const { verdict } = await runtime.orchestrator.explain(
    { chain: [runtime.agents.get('test-engineer')!], workspace: folder, ...call },
    new AbortController().signal,
  )
  expect(verdict.kind).toBe('ask')
  await runtime.close()
})
