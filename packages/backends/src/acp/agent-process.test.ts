import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@cadre/core'
import { expect, it, onTestFinished } from 'vitest'
import { AgentProcess } from './agent-process.ts'

/** A running program that ends only if it is killed. `cleanUps` lists for each clean-up if the program still existed. */
async function startProgram() {
  const cleanUps: string[] = []
  const timers: (() => void)[] = []
  const clock: Clock = {
    now: () => 0,
    after(_, callback) {
      timers.push(callback)
      return () => {}
    },
  }
  let heard: (pid: number) => void = () => {}
  const started = new Promise<number>((resolve) => {
    heard = resolve
  })
  const script = `console.log(JSON.stringify({ jsonrpc: '2.0', method: 'pid', params: process.pid })); setInterval(() => {}, 1e9)`
  const agent = new AgentProcess({
    title: 'Fake',
    command: process.execPath,
    args: ['-e', script],
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] },
    folder: mkdtempSync(path.join(tmpdir(), 'cadre-agent-')),
    clock,
    hide: (text) => text,
    requested: async () => null,
    notified: (_, pid) => heard(pid as number),
    cleanUp: async () => void cleanUps.push(exists(pid) ? 'exists' : 'gone'),
  })
  const pid = await started
  onTestFinished(async () => {
    agent.kill('the test ended')
    await agent.ended
  })
  return { agent, cleanUps, timers }
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('cleans up after a killed program is gone', async () => {
  const { agent, cleanUps } = await startProgram()
  agent.kill('Cadre could no longer control it')
  expect(agent.isRunning).toBe(false)
  expect(await agent.ended).toBe('Cadre stopped Fake because Cadre could no longer control it.')
  expect(cleanUps).toEqual(['gone'])
})

it('waits for the clean-up in stop, even if the program was killed before', async () => {
  const { agent, cleanUps } = await startProgram()
  agent.kill('of a test')
  await agent.stop()
  expect(cleanUps).toEqual(['gone'])
})

it('cleans up once if a killed program does not end in time', async () => {
  const { agent, cleanUps, timers } = await startProgram()
  agent.kill('of a test')
  timers[0]?.()
  await agent.stop()
  expect(cleanUps).toEqual(['exists'])
})

it('does not wait when Cadre exits', async () => {
  const { agent, cleanUps } = await startProgram()
  agent.killAtExit()
  expect(cleanUps).toEqual(['exists'])
})
