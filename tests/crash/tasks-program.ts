// A home whose tasks are run. Ends when every task has ended.
import { createOrchestrator } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { openHome, sessionIds } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { createProblems, createSessionKeeper, createTaskDuty, type Keeper } from '@cadre/server'
import { openTaskFiles } from '@cadre/tasks'
import { agentsOf, defineAgent, fail, say, scriptedModels } from '@cadre/testing'
import type { Play } from './programs.ts'

const lanes = {
  planner: [say('Planned.'), say('All of it is at an end.')],
  worker: [say('My part.')],
  broken: [fail('the model is gone')],
}

export const play: Play = async (folder) => {
  const models = scriptedModels(lanes)
  const agents = agentsOf(['planner', 'worker', 'broken'].map((name) => defineAgent({ name })))
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
  const keeper: Keeper = createSessionKeeper({
    home,
    engine,
    workspace: folder,
    trusted: true,
    parallel: () => 100,
    // It uses only these parts.
    parts: () => ({ parts: { agents, models } as never, orchestrator }),
    note,
    problems,
    rested: () => {},
  })
  const tasks = openTaskFiles({ folder: home.folder('tasks') })
  const duty = createTaskDuty(
    {
      home,
      workspace: folder,
      agents,
      engine,
      sessions: keeper,
      note,
      problems,
      clock: systemClock,
      parallel: () => 3,
    },
    { tasks, parallel: 3 },
  )
  // Like the daemon: delivers the queue of an earlier process, and retries failures.
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
  await duty.stop?.()
  await keeper.hold(true)
  await engine.close()
  return { kind: 'over' }
}
