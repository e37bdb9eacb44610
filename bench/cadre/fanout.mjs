import { createModels } from '@cadre/backends'
import { applyToView, emptyView } from '@cadre/core'
import { measure } from '../lib/measure.mjs'
import { createTeam, lead, worker } from './team.mjs'

await measure(async ({ mode, base, tmp, leadPrompt, workerPrompt }) => {
  const env = { OPENAI_BASE_URL: base, OPENAI_API_KEY: 'none', CADRE_MODEL: 'openai:fake' }
  const models = createModels({ env })
  // Includes the surface: every event goes through the fold that all surfaces use.
  const view = emptyView()
  const agents = [lead(leadPrompt), worker(workerPrompt)]
  const { engine, orchestrator } = await createTeam({
    home: tmp,
    models,
    agents,
    onEvent: (event) => applyToView(view, event),
  })
  const agent = mode === 'history' ? 'worker' : 'lead'
  const result = await orchestrator.start({ agent, work: 'go', workspace: tmp }, new AbortController().signal)
  await engine.close()
  if (result.report.status !== 'completed') throw new Error(JSON.stringify(result.report))
  return { text: result.report.text, sessions: view.sessions.size }
})
