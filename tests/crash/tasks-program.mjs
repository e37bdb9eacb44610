// A home whose tasks are run, in a process that kills itself at a given point.
//
//   node tasks-program.mjs HOME
//
// Where it may die: `kill-points.mjs`. It ends when every task is at an end; the last line on stdout says so.
import { arm, disarm } from './kill-points.mjs'

const [folder] = process.argv.slice(2)
const { createOrchestrator } = await import('@cadre/core')
const { createFileEngine } = await import('@cadre/journal')
const { openHome, sessionIds } = await import('@cadre/home')
const { openTaskFiles } = await import('@cadre/tasks')
const { systemClock } = await import('@cadre/disk')
const { createProblems, createSessionKeeper, createTaskDuty } = await import('@cadre/server')
const { agentsOf, defineAgent, fail, say, scriptedModels } = await import('@cadre/testing')

const models = scriptedModels({
  planner: [say('Planned.'), say('All of it is at an end.')],
  worker: [say('My part.')],
  broken: [fail('the model is gone')],
})
const agents = agentsOf(['planner', 'worker', 'broken'].map((name) => defineAgent({ name })))

arm()
const home = openHome({ home: folder, cwd: folder, env: {} })
const engine = await createFileEngine({ home, clock: systemClock })
const orchestrator = createOrchestrator({
  engine,
  models,
  agents,
  tools: [],
  clock: systemClock,
  ids: sessionIds,
  emit: (event) => keeper.observe(event),
})
const note = () => {}
const problems = createProblems(note, () => {})
const keeper = createSessionKeeper({
  home,
  engine,
  workspace: folder,
  trusted: true,
  parallel: () => 100,
  parts: () => ({ parts: { agents, models }, orchestrator }),
  note,
  problems,
  rested: () => {},
})
const tasks = openTaskFiles({ folder: home.folder('tasks') })
const duty = createTaskDuty(
  { home, workspace: folder, agents, engine, sessions: keeper, note, problems, clock: systemClock },
  { tasks, parallel: 3 },
)
// As the daemon does: what an earlier process left in the queue is delivered, and what failed is tried again.
keeper.restore()
await duty.start()
const isOver = () =>
  tasks
    .list()
    .flatMap((file) => tasks.read(file).tasks)
    .every(({ state }) => state !== 'open' && state !== 'running')
while (!isOver()) {
  await keeper.retry()
  await new Promise((resolve) => setTimeout(resolve, 2))
}
await duty.stop()
await keeper.hold(true)
await engine.close()
process.stdout.write(`${JSON.stringify({ kind: 'over', points: disarm() })}\n`)
