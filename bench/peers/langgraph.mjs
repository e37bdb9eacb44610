// LangGraph: prebuilt react agents, the lead's tool invokes the worker. No checkpointer, so nothing is persisted.
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { measure, probe } from '../lib/measure.mjs'

await measure(async ({ mode, k, base, leadPrompt, workerPrompt }) => {
  // Not streamed, which is in its favour: with `streaming` it downloads a tokenizer from the internet after each reply.
  const llm = new ChatOpenAI({
    model: 'fake',
    apiKey: 'none',
    useResponsesApi: false,
    maxRetries: 0,
    configuration: { baseURL: base },
  })
  // Two graph steps per turn; the default of 25 would end `history` early.
  const limits = { recursionLimit: 4 * k + 50 }
  const invoke = async (agent, content) => {
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content }] }, limits)
    return String(messages.at(-1).content)
  }

  const probeTool = tool(() => probe(), {
    name: 'probe',
    description: 'probe',
    schema: z.object({ i: z.number() }),
  })
  const worker = createReactAgent({ llm, tools: [probeTool], prompt: workerPrompt })
  const delegate = tool(({ input }) => invoke(worker, input), {
    name: 'delegate',
    description: 'delegate',
    schema: z.object({ input: z.string() }),
  })
  const lead = createReactAgent({ llm, tools: [delegate], prompt: leadPrompt })

  return invoke(mode === 'history' ? worker : lead, 'go')
})
