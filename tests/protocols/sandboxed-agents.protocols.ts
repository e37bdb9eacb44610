/** Agent programs that keep their own tools, with a model: the gate answers their requests, and the sandbox limits the rest. */
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createProject, type Project } from '../cli/support/project.ts'
import { skipWithoutSandbox } from '../support/skip-without-sandbox.ts'
import { type OwnApis, serveOwnApis } from './support/serve-own-apis.ts'

const packages = () => path.join(process.env['CADRE_TEST_AGENTS'] ?? '', 'node_modules')

function createWorld(): Project {
  const project = createProject({ 'work/notes.md': '# Notes\n' })
  mkdirSync(project.at('outside'))
  return project
}

async function run(
  project: Project,
  name: 'gemini' | 'codex',
  server: OwnApis,
  flags: readonly string[] = [],
) {
  const file = {
    gemini: '@google/gemini-cli/bundle/gemini.js',
    codex: '@agentclientprotocol/codex-acp/dist/index.js',
  }[name]
  const command = [process.execPath, path.join(packages(), file), ...(name === 'gemini' ? ['--acp'] : [])]
  project.write('user/.config/cadre/config.yaml', { acp: { programs: { [name]: { command } } } })
  const provider = { name: 'fake', base_url: `${server.url}/v1`, wire_api: 'responses' }
  const env = {
    gemini: { GEMINI_API_KEY: 'a-key-that-nobody-checks', GOOGLE_GEMINI_BASE_URL: server.url },
    codex: {
      OPENAI_API_KEY: 'a-key-that-nobody-checks',
      MODEL_PROVIDER: 'fake',
      CODEX_CONFIG: JSON.stringify({
        model_providers: { fake: { ...provider, env_key: 'OPENAI_API_KEY' } },
        model_provider: 'fake',
      }),
    },
  }[name]
  // Without a model, Gemini CLI first asks another one which to use.
  const model = name === 'gemini' ? 'acp:gemini/gemini-2.5-flash' : 'acp:codex'
  const ended = await project.cadre(
    ['run', '--model', model, '--trust', '--json', '--no-human', ...flags, 'Work.'],
    { cwd: project.at('work'), env: { ...env, HOME: project.at('user') }, ownProcess: true },
  )
  const events = ended.json()
  return {
    last: events.at(-1),
    settled: events.filter(({ type }) => type === 'call.settled'),
    made: readdirSync(project.at('work')).filter((one) => one.endsWith('.txt')),
    outside: readdirSync(project.at('outside')),
  }
}

const touch = (file: string) => ({
  name: 'run_shell_command',
  input: { command: `touch ${file}`, description: 'Touch' },
})

// Cadre starts such programs only in the sandbox.
beforeEach(skipWithoutSandbox)

it('Gemini CLI answers with its model, and reports its usage', async () => {
  const server = await serveOwnApis('Hello from Gemini.')
  const { last, outside } = await run(createWorld(), 'gemini', server)
  expect(last).toMatchObject({
    status: 'completed',
    text: 'Hello from Gemini.',
    usage: { input: 10, output: 5 },
  })
  expect(outside).toEqual([])
})

it('the gate judges a command of Gemini CLI: one that writes outside the workspace does not run', async () => {
  const server = await serveOwnApis('Done.', touch('made.txt ../outside/escaped'))
  const { settled, made, outside } = await run(createWorld(), 'gemini', server, ['--allow', 'execute'])
  expect(settled).toMatchObject([{ outcome: 'refused' }])
  expect(made).toEqual([])
  expect(outside).toEqual([])
})

it('an allowed command of Gemini CLI runs', async () => {
  const server = await serveOwnApis('Done.', touch('made.txt'))
  const { settled, made } = await run(createWorld(), 'gemini', server, ['--allow', 'execute'])
  expect(settled).toMatchObject([{ outcome: 'done' }])
  expect(made).toEqual(['made.txt'])
})

it('Codex answers with its model, and a command of its own changes nothing outside', async () => {
  const command = { name: 'exec_command', input: { cmd: 'touch ../outside/escaped' } }
  const server = await serveOwnApis('Hello from Codex.', command)
  const { last, outside } = await run(createWorld(), 'codex', server, ['--allow', 'execute'])
  expect(last).toMatchObject({ status: 'completed', text: 'Hello from Codex.' })
  expect(server.asked).toHaveLength(2)
  expect(outside).toEqual([])
})
