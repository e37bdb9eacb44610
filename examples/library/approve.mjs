import { createRuntime } from 'cadre'

const runtime = await createRuntime({
  agent: 'lead',
  trust: true,
  // Resolve with undefined to decide later: the run is suspended, and any process can answer and resume it.
  ask: async (_session, { text }) => {
    console.error(text)
    return process.env.APPROVE === undefined ? undefined : { decision: 'approve', by: process.env.APPROVE }
  },
  onEvent: (event) => event.type === 'call.judged' && console.error(event.tool, event.decision, event.rule),
})
const result = await runtime.run('Say hello')
console.log(result.kind === 'report' ? result.report.text : `Session ${result.session} is suspended.`)
await runtime.close()
