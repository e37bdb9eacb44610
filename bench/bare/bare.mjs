// The baseline: the same work written by hand, without a framework. It calls the model, runs the tools and makes each
// message durable, and does nothing else. All results are reported as a multiple of this.
import { join } from 'node:path'
import { measure, probe } from '../lib/measure.mjs'
import { openJournal } from './journal.mjs'
import { connect } from './model.mjs'

const probeTool = describeTool('probe', { i: { type: 'number' } })
const delegateTool = describeTool('delegate', { input: { type: 'string' } })

await measure(({ mode, base, tmp, leadPrompt, workerPrompt }) => {
  const ask = connect(base)
  const append = openJournal(join(tmp, 'journal.jsonl'))
  let agents = 0

  const runWorker = (task) => runAgent({ prompt: workerPrompt, task, tools: [probeTool], call: probe })
  const runLead = () =>
    runAgent({ prompt: leadPrompt, task: 'go', tools: [delegateTool], call: ({ input }) => runWorker(input) })

  return mode === 'history' ? runWorker('go') : runLead()

  async function runAgent({ prompt, task, tools, call }) {
    const agent = ++agents
    const messages = []
    const add = (message) => {
      messages.push(message)
      return append(`${JSON.stringify({ agent, ...message })}\n`)
    }
    add({ role: 'system', content: prompt })
    await add({ role: 'user', content: task })
    for (;;) {
      const reply = await ask({ messages, tools })
      await add(reply)
      if (!reply.tool_calls) return reply.content
      const results = await Promise.all(reply.tool_calls.map((toolCall) => settle(toolCall, call)))
      await Promise.all(results.map(add))
    }
  }
})

async function settle({ id, function: { arguments: args } }, call) {
  return { role: 'tool', tool_call_id: id, content: await call(JSON.parse(args)) }
}

function describeTool(name, properties) {
  const parameters = { type: 'object', properties, required: Object.keys(properties) }
  return { type: 'function', function: { name, description: name, parameters } }
}
