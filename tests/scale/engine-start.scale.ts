import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
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
