import { createRuntime } from 'cadre'

const runtime = await createRuntime({
  agent: 'lead', // of your project, or of a built-in team
  trust: true, // use the agents, hooks and tools in this folder
  allow: ['write'], // do not ask before an agent writes a file
  onEvent: (event) => event.type === 'call.started' && console.error(event.session, event.tool),
})
const result = await runtime.run('Say hello')
console.log(result.kind === 'report' ? result.report.text : 'The team is waiting for an approval.')
await runtime.close()
