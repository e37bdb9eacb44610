// Cadre as a library with everything a run has, on the backend `copilot-ls`: agent files, trust, policy, gate, audit and journal.
import fs from 'node:fs'
import path from 'node:path'
import { defineTool, number, object } from '@cadre/core'
import { createRuntime } from '@cadre/runtime'
import { measureConversations, probe, serverEnv, serverPackage, workload } from '../lib/copilot-work.mjs'

const { tmp, workerPrompt } = workload
const file = path.join(tmp, '.github', 'agents', 'worker.agent.md')
fs.mkdirSync(path.dirname(file), { recursive: true })
fs.writeFileSync(
  file,
  `---\nname: worker\ndescription: worker\ntools: [probe]\nisolation: shared\n---\n${workerPrompt}\n`,
)
const probeTool = defineTool({
  name: 'probe',
  description: 'probe',
  class: 'execute',
  effect: 'execute',
  input: object({ i: number('number') }),
  run: () => Promise.resolve({ content: probe() }),
})
const runtime = await createRuntime({
  model: 'copilot-ls:fake',
  trust: true,
  allow: ['execute'],
  tools: [probeTool],
  environment: { cwd: tmp, env: { ...serverEnv, CADRE_COPILOT_SERVER: serverPackage } },
})

await measureConversations(async (name) => {
  const { report } = await runtime.run({ agent: 'worker', work: name })
  return report?.text
})
