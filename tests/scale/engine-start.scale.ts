import { readFileSync } from 'node:fs'
import { freePort } from '@cadre/testing'
import { expect, test } from 'vitest'
import { createProject } from '../cli/support/project.ts'
import { hasScript, openTerminal } from '../cli/support/terminal.ts'
import { until } from '../cli/support/until.ts'
import { openEngineProject } from './support/engine-project.ts'

/** On Linux. A process that nobody has waited for is a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('the server ends when "cadre engine start" is killed', async () => {
  const { engine } = await openEngineProject({})
  const { pid } = JSON.parse(engine.stdout()) as { pid: number }
  expect(isRunning(pid)).toBe(true)
  engine.child.kill('SIGKILL')
  await engine.ended()
  await until(() => !isRunning(pid))
})

test('a second server for the same data is refused, and the settings of the first one stay', async () => {
  const { project, engine } = await openEngineProject({})
  const { pid } = JSON.parse(engine.stdout()) as { pid: number }
  const settings = project.read('.cadre/engine/restate.toml')
  const ports = ['--port', '1', '--admin-port', '2', '--node-port', '3']
  const env = { CADRE_RESTATE_SERVER: process.env['CADRE_TEST_RESTATE'] ?? '' }
  const second = await project.cadre(['engine', 'start', '--trust', ...ports], { ownProcess: true, env })
  expect(second.code).toBe(2)
  expect(second.stderr).toContain('a Restate server already uses the data in')
  expect(second.stderr).toContain(`process ${pid}`)
  expect(project.read('.cadre/engine/restate.toml')).toBe(settings)
  expect(isRunning(pid)).toBe(true)
})

test.skipIf(!hasScript)('asks in a terminal whether to trust a copied folder', async () => {
  const project = createProject({
    '.cadre/config.yaml': { tools: ['../ping.mjs'] },
    'ping.mjs': 'export const ping = {}\n',
  })
  const env = { CADRE_RESTATE_SERVER: process.env['CADRE_TEST_RESTATE'] ?? '' }
  const ports = [await freePort(), await freePort(), await freePort()].map(String) as [string, string, string]
  const start = ['engine', 'start', '--port', ports[0], '--admin-port', ports[1], '--node-port', ports[2]]
  const without = await project.cadre(start, { ownProcess: true, env, isForeign: true })
  expect(without.code).toBe(2)
  expect(without.stderr).toContain('start "cadre engine start" in a terminal')
  const terminal = openTerminal(project, start, { env, isForeign: true })
  await terminal.until((screen) => screen.includes('Enter to decide later'))
  terminal.type('y\r')
  await terminal.until((screen) => screen.includes('The Restate server is running'))
  terminal.type('\x03')
  expect(await terminal.ended()).toBe(0)
})
