import { randomBytes } from 'node:crypto'
import { createOrchestrator, defineTool, number, object } from '@cadre/core'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { probe } from '../lib/measure.mjs'

export const clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const ids = { session: (agent) => `${agent}-${randomBytes(6).toString('hex')}` }

/** The tool has an effect, so that each call waits until its start is on disk. */
const probeTool = defineTool({
  name: 'probe',
  description: 'probe',
  class: 'execute',
  effect: 'execute',
  input: object({ i: number('number') }),
  run: () => Promise.resolve({ content: probe() }),
})

/** A team with its journal on disk and limits that are never reached. */
export async function createTeam({ home, models, agents, onEvent = () => {} }) {
  const engine = await createFileEngine({ home: openHome({ home, cwd: home, env: {} }), clock })
  const list = agents.map((agent) => ({ description: agent.name, ...agent }))
  const orchestrator = createOrchestrator(
    {
      engine,
      models,
      agents: { get: (name) => list.find((agent) => agent.name === name), list: () => list },
      tools: [probeTool],
      clock,
      ids,
      emit: onEvent,
    },
    {
      limits: {
        concurrency: 10_000,
        sessions: 100_000,
        maxRounds: 100_000,
        timeLimit: 3_600_000,
        identicalCalls: 0,
      },
    },
  )
  return { engine, orchestrator }
}

export const lead = (prompt) => ({ name: 'lead', prompt, tools: { kind: 'list', names: ['delegate_task'] } })
export const worker = (prompt) => ({ name: 'worker', prompt, tools: { kind: 'list', names: ['probe'] } })
