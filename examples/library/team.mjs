import { createModels } from '@cadre/backends'
import { createOrchestrator } from '@cadre/core'
import { createAgents, createFileEngine, openHome, sessionIds, systemClock } from '@cadre/files'
import { createTools } from '@cadre/tools'

const home = openHome({ cwd: process.cwd(), env: process.env })
const engine = await createFileEngine({ home, clock: systemClock })
const team = createOrchestrator({
  engine,
  models: createModels(),
  agents: createAgents({ home: home.path, project: process.cwd() }),
  tools: createTools({ home: home.path }),
  clock: systemClock,
  ids: sessionIds,
  emit: (event) => event.type === 'call.started' && console.error(event.session, event.tool),
})
const request = { agent: 'lead', work: 'Say hello', workspace: process.cwd() }
const result = await team.start(request, new AbortController().signal)
console.log(
  result.kind === 'report'
    ? result.report.text
    : `waits for ${result.questions.map(({ session, name }) => `${session} ${name}`)}`,
)
await engine.close()
