import { mkdirSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answers, startWire } from '@cadre/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agentFile, createProject } from './support/project.ts'

interface Check {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly fix?: string
}

const checksIn = (lines: Record<string, unknown>[]) => (lines[0] as unknown as { checks: Check[] }).checks

test('reports what exists, and exits with 0 if a run could start', async () => {
  const project = createProject({ ...agentFile('lead'), 'p.yaml': { lanes: { '*': [{ reply: 'x' }] } } })
  const { code, stdout } = await project.cadre(['doctor'], { env: { CADRE_MODEL: 'scripted:p.yaml' } })
  expect(stdout).toMatch(/^ok {4}node +Node \d+/m)
  expect(stdout).toMatch(/^ok {4}git +git version/m)
  expect(stdout).toMatch(/^ok {4}home +.*\.cadre$/m)
  expect(stdout).toMatch(/^ok {4}agents +1 agent in 1 file: lead$/m)
  expect(stdout).toMatch(/^ok {4}model +scripted:/m)
  expect(code).toBe(0)
})

test('reports invalid hooks and allowlists, once per place', async () => {
  const project = createProject({
    '.github/hooks/a.json': '{ "hooks": { "PreToolUse": [\n',
    '.cadre/storage/terminal-cmd-allowlist.yaml': 'npm publish: dny\n',
  })
  const { code, json } = await project.cadre(['doctor', '--json'])
  const told = checksIn(json()).filter(({ name }) => name === 'hooks' || name === 'commands')
  expect(told).toMatchObject([
    {
      name: 'hooks',
      status: 'fail',
      message: expect.stringMatching(/a\.json:\d+: .* Cadre runs no hooks from this file/),
    },
    {
      name: 'commands',
      status: 'fail',
      message: expect.stringMatching(/allowlist\.yaml:1: .*"npm publish"/),
    },
  ])
  expect(code).toBe(1)
})

test('says nothing about the model if the configuration that may name it is invalid', async () => {
  const { json } = await createProject({ '.cadre/config.yaml': 'model: [\n' }).cadre(['doctor', '--json'])
  const failed = checksIn(json()).filter(({ status }) => status === 'fail')
  expect(failed.map(({ name }) => name)).toEqual(['configuration'])
})

test('reports what is wrong, where, and what to do, and exits with 1', async () => {
  const project = createProject({
    '.cadre/templates/lead.agent.yaml': 'id: lead\ndescription: d\nsystem_prompt: x\nmax_turns: [\n',
    '.cadre/config.yaml': 'tools: [../x.mjs]\n',
    '.cadre/sessions/a-1.session.yaml.torn': 'x',
    '.cadre/storage/wal/1-abc.1.wal': '',
  })
  const before = project.listing()
  const { code, json } = await project.cadre(['doctor', '--json'])
  const checks = checksIn(json())
  const find = (name: string, status: string) =>
    checks.find((check) => check.name === name && check.status === status)
  expect(find('model', 'fail')).toMatchObject({
    message: 'no model is configured',
    fix: expect.stringContaining('cadre setup'),
  })
  expect(find('agents', 'fail')?.message).toMatch(/lead\.agent\.yaml:\d+: /)
  expect(find('trust', 'warn')?.message).toMatch(/x\.mjs runs as a tool module; it is not trusted/)
  expect(find('torn files', 'warn')).toBeDefined()
  expect(find('segments', 'warn')).toBeDefined()
  expect(code).toBe(1)
  expect(project.listing()).toEqual(before)
})

test.each([
  [['small'], 'ok', 'openai:small', undefined],
  [['small', 'large'], 'fail', 'no model is configured', 'Nearest: openai:small, openai:large.'],
])('reports the default model of a server with %j', async (models, status, message, fix) => {
  const wire = await startWire(answers.hang(), { models })
  onTestFinished(wire.close)
  const { json } = await createProject().cadre(['doctor', '--json'], { env: { OPENAI_BASE_URL: wire.url } })
  expect(checksIn(json()).find(({ name }) => name === 'model')).toMatchObject({
    status,
    message,
    ...(fix && { fix }),
  })
})

test('lists agents whose model is not available, and the model that they get', async () => {
  const wire = await startWire(answers.reply({ text: 'fine' }), { models: ['house'] })
  onTestFinished(wire.close)
  const project = createProject({
    ...agentFile('lead', { model: 'nothing-like-it' }),
    ...agentFile('helper', { model: 'openai:house' }),
  })
  const env = { OPENAI_BASE_URL: wire.url, CADRE_MODEL: 'openai:house' }
  const doctor = async () => {
    const { code, json } = await project.cadre(['doctor', '--json'], { env })
    return { code, told: checksIn(json()).filter(({ name }) => name === 'agent model') }
  }
  const { code, told } = await doctor()
  expect(told).toMatchObject([
    {
      status: 'warn',
      message: expect.stringMatching(
        /^lead asks for the model "nothing-like-it", .* default model openai:house instead\.$/,
      ),
      fix: expect.stringContaining('aliases'),
    },
  ])
  expect(code).toBe(0)
  project.write('.config/cadre/policy.yaml', { models: { fallback: false } })
  const denied = await doctor()
  expect(denied.told).toMatchObject([
    { status: 'fail', message: expect.stringContaining('lead cannot start') },
  ])
  expect(denied.code).toBe(1)
})

test('reports whether the server answers, and never shows the key', async () => {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'small', object: 'model' }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const env = { OPENAI_BASE_URL: base, OPENAI_API_KEY: 'sk-very-secret-key', CADRE_MODEL: 'openai:small' }
  const project = createProject()
  const good = await project.cadre(['doctor', '--json'], { env })
  expect(good.code).toBe(0)
  expect(checksIn(good.json()).filter(({ name }) => ['model', 'endpoint', 'key'].includes(name))).toEqual([
    { name: 'model', status: 'ok', message: 'openai:small' },
    { name: 'endpoint', status: 'ok', message: `${new URL(base).origin} answers` },
    { name: 'key', status: 'ok', message: 'in OPENAI_API_KEY' },
  ])
  expect(seen.length).toBeGreaterThan(0)
  const near = await project.cadre(['doctor', '--json'], { env: { ...env, CADRE_MODEL: 'openai:smal' } })
  expect(checksIn(near.json()).find(({ name }) => name === 'model')).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining('small'),
  })
  const closed = await project.cadre(['doctor', '--json'], {
    env: { ...env, OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
  })
  expect(checksIn(closed.json()).find(({ name }) => name === 'endpoint')).toMatchObject({ status: 'fail' })
  expect(closed.code).toBe(1)
  for (const { stdout, stderr } of [good, near, closed]) expect(stdout + stderr).not.toContain('very-secret')
})

test('reports whether commands run in a sandbox, and how to get one', async () => {
  const project = createProject({})
  const find = async (env: Record<string, string>) => {
    const { json } = await project.cadre(['doctor', '--json'], { env })
    return checksIn(json()).find(({ name }) => name === 'sandbox')
  }
  // A PATH with only what starts the command itself.
  const bin = `${project.path}/bin`
  mkdirSync(bin)
  symlinkSync(process.execPath, `${bin}/node`)
  expect(await find({ PATH: bin })).toMatchObject({
    status: 'warn',
    message: expect.stringMatching(/without a sandbox: bubblewrap (is not installed|does not exist)/),
  })
  expect(['ok', 'warn']).toContain((await find({}))?.status)
})
