// @openai/agents: the worker is a tool of the lead (`asTool`). Chat completions, streamed.
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { z } from 'zod'
import { measure, probe } from '../lib/measure.mjs'

await measure(async ({ mode, k, base, leadPrompt, workerPrompt }) => {
  setTracingDisabled(true)
  const modelProvider = new OpenAIProvider({ apiKey: 'none', baseURL: base, useResponses: false })
  const runConfig = { modelProvider, tracingDisabled: true }
  // The default of 10 turns would end `history` early.
  const maxTurns = k + 10

  const worker = new Agent({
    name: 'worker',
    model: 'fake',
    instructions: workerPrompt,
    tools: [
      tool({
        name: 'probe',
        description: 'probe',
        parameters: z.object({ i: z.number() }),
        execute: () => probe(),
      }),
    ],
  })
  const delegate = worker.asTool({
    toolName: 'delegate',
    toolDescription: 'delegate',
    runConfig,
    runOptions: { maxTurns },
    // Without a listener the worker would not stream.
    onStream: () => {},
  })
  const lead = new Agent({ name: 'lead', model: 'fake', instructions: leadPrompt, tools: [delegate] })

  const run = await new Runner(runConfig).run(mode === 'history' ? worker : lead, 'go', {
    maxTurns,
    stream: true,
  })
  for await (const _ of run.toStream());
  await run.completed
  return run.finalOutput
})
