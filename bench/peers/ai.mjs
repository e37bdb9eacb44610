// Vercel AI SDK: two ToolLoopAgents, the lead's tool runs the worker. Streamed.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, ToolLoopAgent, tool } from 'ai'
import { z } from 'zod'
import { measure, probe } from '../lib/measure.mjs'

await measure(async ({ mode, k, base, leadPrompt, workerPrompt }) => {
  const model = createOpenAICompatible({ name: 'fake', baseURL: base, apiKey: 'none', includeUsage: true })(
    'fake',
  )
  const stream = async (agent, options) => {
    const result = await agent.stream(options)
    return result.text
  }

  const worker = new ToolLoopAgent({
    model,
    instructions: workerPrompt,
    // The default of 20 steps would end `history` early.
    stopWhen: stepCountIs(k + 10),
    tools: {
      probe: tool({ description: 'probe', inputSchema: z.object({ i: z.number() }), execute: () => probe() }),
    },
  })
  const lead = new ToolLoopAgent({
    model,
    instructions: leadPrompt,
    tools: {
      delegate: tool({
        description: 'delegate',
        inputSchema: z.object({ input: z.string() }),
        execute: ({ input }, { abortSignal }) => stream(worker, { prompt: input, abortSignal }),
      }),
    },
  })

  return stream(mode === 'history' ? worker : lead, { prompt: 'go' })
})
