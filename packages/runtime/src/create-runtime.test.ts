import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { defineTool, object, string, type Tool } from '@cadre/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRuntime, type Runtime } from './create-runtime.ts'

let folder: string
let runtime: Runtime
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-runtime-')))
  writeFileSync(path.join(folder, 'p.yaml'), 'lanes: { assistant: [{ reply: hello }] }\n')
  const env = { PATH: process.env['PATH'], HOME: folder }
  runtime = await createRuntime({ model: 'scripted:p.yaml', environment: { cwd: folder, env } })
})
afterEach(async () => {
  await runtime.close()
  rmSync(folder, { recursive: true, force: true })
})

test('runs an agent in its folder and returns the report', async () => {
  const result = await runtime.run('Say hello')
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', text: 'hello' } })
  const [session] = await runtime.list()
  expect((await runtime.read(session!.id)).spec.workspace).toBe(folder)
})

test('records the controls of a run with its session', async () => {
  const env = { PATH: process.env['PATH'], HOME: folder }
  const controlled = await createRuntime({
    model: 'scripted:p.yaml',
    readOnly: true,
    denyTool: ['read_file'],
    environment: { cwd: folder, env },
  })
  await controlled.run('Say hello')
  const [session] = await controlled.list()
  const { spec } = await controlled.read(session!.id)
  await controlled.close()
  expect(spec.controls).toEqual({ readOnly: true, deniedTools: ['read_file'] })
})

test('the limit on rounds applies to the first agent, even if the agent allows more', async () => {
  const look = { calls: [{ tool: 'list_directory', input: { path: '.' } }], repeat: 9 }
  writeFileSync(path.join(folder, 'loop.yaml'), JSON.stringify({ lanes: { '*': [look, { reply: 'end' }] } }))
  const limited = await createRuntime({
    model: 'scripted:loop.yaml',
    maxTurns: 2,
    environment: { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
  })
  const agent = {
    name: 'looker',
    description: 'looks',
    prompt: 'Look.',
    tools: { kind: 'all' },
    limits: { maxTurns: 50 },
  } as const
  const result = await limited.run({ agent, work: 'Look around' })
  await limited.close()
  expect(result).toMatchObject({ report: { status: 'incomplete', notices: [{ code: 'max_rounds' }] } })
})

test('trusts only the items that a person has seen, not files added meanwhile', async () => {
  const project = path.join(folder, 'project')
  const hooks = path.join(project, '.github', 'hooks')
  mkdirSync(hooks, { recursive: true })
  const hook = (name: string) =>
    writeFileSync(
      path.join(hooks, `${name}.json`),
      JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: 'command', bash: `echo ${name}` }] } }),
    )
  hook('seen')
  const env = { PATH: process.env['PATH'], HOME: folder }
  const shown: string[][] = []
  const opened = await createRuntime({
    model: `scripted:${path.join(folder, 'p.yaml')}`,
    environment: { cwd: project, env },
    async confirmTrust({ missing }) {
      shown.push(missing.map(({ file }) => path.basename(file)))
      hook('unseen')
      return 'yes'
    },
  })
  await opened.close()
  expect(shown).toEqual([['seen.json']])
  const [notice] = opened.notices.filter(({ code }) => code === 'untrusted')
  expect(notice?.message).toContain('unseen.json')
})

test('asks again about a declined folder only on request', async () => {
  const project = path.join(folder, 'declined')
  mkdirSync(path.join(project, '.github', 'hooks'), { recursive: true })
  writeFileSync(
    path.join(project, '.github', 'hooks', 'one.json'),
    JSON.stringify({ version: 1, hooks: { preToolUse: [{ type: 'command', bash: 'true' }] } }),
  )
  const asked: string[] = []
  const open = async (answer: 'yes' | 'no', asksAgain: boolean) => {
    const opened = await createRuntime({
      model: `scripted:${path.join(folder, 'p.yaml')}`,
      environment: { cwd: project, env: { PATH: process.env['PATH'], HOME: folder } },
      asksAgain,
      async confirmTrust() {
        asked.push(answer)
        return answer
      },
    })
    await opened.close()
    return opened.notices.filter(({ code }) => code === 'untrusted').length
  }
  expect(await open('no', false)).toBe(1)
  expect(await open('yes', false)).toBe(1)
  expect(asked).toEqual(['no'])
  expect(await open('yes', true)).toBe(0)
  expect(await open('no', true)).toBe(0)
  expect(asked).toEqual(['no', 'yes'])
})

test('uses a tool of the host instead of a built-in one with the same name', async () => {
  const ran: string[] = []
  const tools = ['psi', 'index'].map((origin) =>
    defineTool({
      name: `ide_${origin}_read`,
      description: 'Reads a file that may be open in an editor',
      class: 'read',
      effect: 'read',
      aliases: ['read_file'],
      input: object({ path: string('The file') }),
      async run({ path: file }) {
        ran.push(`${origin} ${file}`)
        return { content: `from the editor: ${file}` }
      },
    }),
  )
  const calls = ['read_file', 'Read', 'ide_psi_read', 'ide_index_read'].map((tool) => ({
    tool,
    input: { path: tool },
  }))
  const playbook = { lanes: { assistant: [{ calls }, { reply: 'done' }] } }
  writeFileSync(path.join(folder, 'host.yaml'), JSON.stringify(playbook))
  const env = { PATH: process.env['PATH'], HOME: folder }
  const hosted = await createRuntime({
    model: 'scripted:host.yaml',
    environment: { cwd: folder, env },
    tools: tools as Tool[],
  })
  try {
    await hosted.run('Read it')
    expect(ran).toEqual(['psi read_file', 'psi Read', 'psi ide_psi_read', 'index ide_index_read'])
    expect(hosted.notices.map(({ message }) => message)).toContain(
      'Cadre uses the editor tool ide_psi_read instead of the built-in tool read_file.',
    )
  } finally {
    await hosted.close()
  }
})

test.each(['/not/there', 'not/there', 'p.yaml'])(
  'refuses a workspace that is not a folder: %s',
  async (workspace) => {
    await expect(runtime.run({ work: 'x', workspace })).rejects.toMatchObject({
      code: 'usage',
      where: path.resolve(folder, workspace),
    })
    expect(await runtime.list()).toEqual([])
  },
)

const environmentHere = () => ({ cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } })

test('shares a home with another runtime, without taking its sessions', async () => {
  const playbook = {
    lanes: { assistant: [{ calls: [{ tool: 'list_directory', input: {} }] }, { reply: 'done' }] },
  }
  writeFileSync(path.join(folder, 'two.yaml'), JSON.stringify(playbook))
  const both = await Promise.all(
    [1, 2].map(() => createRuntime({ model: 'scripted:two.yaml', environment: environmentHere() })),
  )
  try {
    const results = await Promise.all(
      both.flatMap((one) => ['first', 'second', 'third'].map((work) => one.run(work))),
    )
    expect(results.map((result) => result.kind === 'report' && result.report.text)).toEqual(
      Array(6).fill('done'),
    )
    const sessions = await runtime.list()
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(6)
    expect(sessions.map(({ status }) => status)).toEqual(Array(6).fill('completed'))
  } finally {
    await Promise.all(both.map((one) => one.close()))
  }
})

test('refuses a session that another runtime runs, and names its process', async () => {
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  let approve = () => {}
  const playbook = {
    lanes: {
      assistant: [
        { calls: [{ tool: 'write_file', input: { path: 'a.md', content: 'a' } }] },
        { reply: 'written' },
      ],
    },
  }
  writeFileSync(path.join(folder, 'owned.yaml'), JSON.stringify(playbook))
  const options = { model: 'scripted:owned.yaml', environment: environmentHere() }
  const owner = await createRuntime({
    ...options,
    ask: () =>
      new Promise((resolve) => {
        approve = () => resolve({ decision: 'approve', by: 'ann' })
        asked()
      }),
  })
  const other = await createRuntime(options)
  try {
    const running = owner.run({ id: 'assistant-owned', work: 'Write it' })
    await isAsked
    const { signal } = new AbortController()
    await expect(other.orchestrator.resume('assistant-owned', {}, signal)).rejects.toMatchObject({
      code: 'owned',
      message: expect.stringContaining('assistant-owned'),
    })
    approve()
    expect(await running).toMatchObject({ kind: 'report', report: { text: 'written' } })
  } finally {
    await owner.close()
    await other.close()
  }
})

test('uses no hooks or tools from a restricted folder, even if it is trusted, and only reads', async () => {
  mkdirSync(path.join(folder, 'project', '.github', 'agents'), { recursive: true })
  const project = path.join(folder, 'project')
  writeFileSync(
    path.join(project, '.github', 'agents', 'lead.agent.md'),
    '---\nname: lead\ndescription: x\n---\nLead.\n',
  )
  const calls = [{ tool: 'write_file', input: { path: 'a.md', content: 'a' } }]
  writeFileSync(
    path.join(project, 'p.yaml'),
    JSON.stringify({ lanes: { assistant: [{ calls }, { reply: 'tried' }] } }),
  )
  const restricted = await createRuntime({
    model: 'scripted:p.yaml',
    environment: { ...environmentHere(), cwd: project },
    restricted: true,
    trust: true,
    allow: ['write'],
    confirmTrust: () => Promise.reject(new Error('unreachable: a person was asked')),
  })
  try {
    expect(restricted.agents.list()).toEqual([])
    expect(restricted.home.path).not.toContain(project)
    expect(await restricted.run('Write it')).toMatchObject({ kind: 'report', report: { text: 'tried' } })
    expect(readdirSync(project).sort()).toEqual(['.github', 'p.yaml'])
  } finally {
    await restricted.close()
  }
})

test('starts the agent of the runtime, also one of a built-in team', async () => {
  writeFileSync(path.join(folder, 'p.yaml'), 'lanes: { Explore: [{ reply: found }] }\n')
  const opened = await createRuntime({
    model: 'scripted:p.yaml',
    agent: 'Explore',
    environment: { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } },
  })
  const result = await opened.run('Look around')
  await opened.close()
  expect(result).toMatchObject({ kind: 'report', report: { agent: 'Explore', text: 'found' } })
})
