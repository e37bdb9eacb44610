import { createModels } from '@cadre/backends'
import { applyToView, createOrchestrator, defineTool, emptyView, number, object } from '@cadre/core'
import { createMemoryEngine } from '@cadre/testing'
import { measure, probe } from '../lib/measure.mjs'

const clock = {
  now: Date.now,
  after(ms, cb) {
    const t = setTimeout(cb, ms)
    t.unref()
    return () => clearTimeout(t)
  },
}
await measure(async ({ mode, base, tmp, leadPrompt, workerPrompt }) => {
  const models = createModels({
    env: { OPENAI_BASE_URL: base, OPENAI_API_KEY: 'none', CADRE_MODEL: 'openai:fake' },
  })
  const view = emptyView()
  const probeTool = defineTool({
    name: 'probe',
    description: 'probe',
    class: 'execute',
    effect: 'execute',
    input: object({ i: number('number') }),
    run: () => Promise.resolve({ content: probe() }),
  })
  const list = [
    { name: 'lead', description: 'x', prompt: leadPrompt, tools: { kind: 'list', names: ['delegate_task'] } },
    { name: 'worker', description: 'x', prompt: workerPrompt, tools: { kind: 'list', names: ['probe'] } },
  ]
  let n = 0
  const orchestrator = createOrchestrator(
    {
      engine: createMemoryEngine({ clock }),
      models,
      agents: { get: (x) => list.find((a) => a.name === x), list: () => list },
      tools: [probeTool],
      clock,
      ids: { session: (a) => `${a}-${++n}` },
      emit: (e) => applyToView(view, e),
    },
    { limits: { concurrency: 10_000, sessions: 100_000, maxRounds: 100_000, timeLimit: 3_600_000 } },
  )
  const result = await orchestrator.start(
    { agent: mode === 'history' ? 'worker' : 'lead', work: 'go', workspace: tmp },
    new AbortController().signal,
  )
  if (result.report.status !== 'completed') throw new Error(JSON.stringify(result.report))
  return result.report.text
})
