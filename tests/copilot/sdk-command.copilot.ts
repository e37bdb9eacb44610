import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createRuntime } from '@cadre/runtime'
import { answers, startWire, type WireRequest } from '@cadre/testing'
import { expect, it, onTestFinished } from 'vitest'
import { apiKey, runtimesOf, sdkFolder } from './support/sdk-world.ts'

const command = path.join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'cadre.js')

/** A user with a configuration, and a project with one file, which the model reads. */
async function machine() {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-copilot-'))
  const wire = await startWire(
    ({ body }: WireRequest) => {
      const { messages } = body as { messages: { role: string; content: string }[] }
      const read = messages.find(({ role }) => role === 'tool')?.content
      return read === undefined
        ? answers.reply({ calls: [{ id: 'c', name: 'read_file', input: { path: 'notes.txt' } }] })
        : answers.reply({ text: `It says: ${read}` })
    },
    { models: ['m'] },
  )
  const config = path.join(folder, 'home', '.config', 'cadre')
  const project = path.join(folder, 'project')
  mkdirSync(config, { recursive: true })
  mkdirSync(project)
  writeFileSync(path.join(project, 'notes.txt'), 'Water the plants.\n')
  const provider = `provider: { baseUrl: "${wire.url}" }`
  writeFileSync(path.join(config, 'config.yaml'), `model: copilot-sdk:m\ncopilot: { ${provider} }\n`)
  const home = path.join(folder, 'home')
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    CADRE_COPILOT_SDK: sdkFolder(),
    COPILOT_PROVIDER_API_KEY: apiKey,
    OPENAI_API_KEY: 'a key for another server',
  }
  onTestFinished(async () => {
    for (const pid of runtimesOf(home)) process.kill(pid, 'SIGKILL')
    await wire.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { wire, project, home, env }
}

it('runs an agent on the user’s configured provider, with its key', async () => {
  const { wire, project, env } = await machine()
  const runtime = await createRuntime({ environment: { cwd: project, env, warn: () => {} } })
  onTestFinished(() => runtime.close())
  const result = await runtime.run('What do the notes say?')
  expect(result).toMatchObject({ kind: 'report', report: { status: 'completed', model: 'copilot-sdk:m' } })
  expect(result.kind === 'report' && result.report.text).toContain('Water the plants.')
  expect(wire.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${apiKey}`,
    `Bearer ${apiKey}`,
  ])
})

it('ends with the command, and leaves neither a process nor a file behind', async () => {
  const { project, home, env } = await machine()
  const child = spawn(process.execPath, [command, 'run', 'What do the notes say?'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  child.stderr.on('data', (data) => {
    output += data
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(output).toContain('Water the plants.')
  expect(output).not.toContain(apiKey)
  expect(output).not.toContain('CLI subprocess')
  expect(code).toBe(0)
  expect(runtimesOf(home)).toEqual([])
  expect(readdirSync(path.join(home, '.local', 'state', 'cadre', 'copilot-sdk'))).toEqual([])
})
