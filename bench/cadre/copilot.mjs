// Cadre as a library with all parts of a run, on the backend `copilot-ls`: agent files, trust, policy, gate, audit and
// journal.
import fs from 'node:fs'
import path from 'node:path'
import { defineTool, number, object } from '@cadre/core'
import { createRuntime } from '@cadre/runtime'
import { measureConversations, probe, serverEnv, serverPackage, workload } from '../lib/copilot-work.mjs'

const { tmp, workerPrompt } = workload
const write = (file, text) => {
  fs.mkdirSync(path.dirname(path.join(tmp, file)), { recursive: true })
  fs.writeFileSync(path.join(tmp, file), text)
}
write(
  '.github/agents/worker.agent.md',
  `---\nname: worker\ndescription: worker\ntools: [probe]\nisolation: shared\n---\n${workerPrompt}\n`,
)
// A permanent permission of the user: a grant per run would add one more file for each.
write('.config/cadre/policy.yaml', 'effects: { execute: allow }\n')
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
  tools: [probeTool],
  environment: { cwd: tmp, env: { ...serverEnv, CADRE_COPILOT_SERVER: serverPackage } },
})

await measureConversations(async (name) => {
  const { report } = await runtime.run({ agent: 'worker', work: name })
  return report?.text
})
