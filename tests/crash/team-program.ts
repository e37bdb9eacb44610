// A team on session files.
//
//    run                              starts the run
//    resume                           continues it
//    answer SESSION NAME DECISION     answers a question of it
import { randomUUID } from 'node:crypto'
import { createOrchestrator, defineTool, object, string, type Tool } from '@cadre/core'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { agentsOf, call, countingIds, defineAgent, say, scriptedModels } from '@cadre/testing'
import { clock, createEffects } from './effects.ts'
import type { End, Play } from './programs.ts'

const look = defineTool({
  name: 'look',
  description: 'Reads',
  class: 'read',
  effect: 'read',
  input: object({ path: string('path') }),
  run: async ({ path }) => ({ content: `saw ${path}` }),
}) as Tool

const work = (agentName: string, workDescription: string): [string, object] => [
  'delegateWork',
  { agentName, workDescription, reportExpectations: 'all of it' },
]

const lanes = {
  lead: [
    call(work('scout', 'look around'), work('builder', 'build it'), work('critic', 'think of faults')),
    call(work('critic', 'check what was built')),
    say('everything is done: {"x": 1}\n  - seq: 4\n# end 3'),
  ],
  scout: [
    call(['look', { path: 'a' }], ['look', { path: 'b' }]),
    call(['reportOut', { report: 'two files' }]),
  ],
  builder: [
    call(['mark', { what: 'one' }], ['look', { path: 'a' }], ['launch', { what: 'rocket' }]),
    call(['reportOut', { report: 'built' }]),
  ],
  critic: [call(['reportOut', { report: 'fine' }])],
}

const never = new AbortController().signal

export const play: Play = async (home, [verb, ...rest]) => {
  const { launch, mark } = createEffects(home)
  const engine = await createFileEngine({ home: openHome({ home, cwd: home, env: {} }), clock })
  const orchestrator = createOrchestrator({
    engine,
    models: scriptedModels(lanes),
    agents: agentsOf(['lead', 'scout', 'builder', 'critic'].map((name) => defineAgent({ name }))),
    tools: [mark, launch, look],
    clock,
    ids:
      verb === 'run' ? countingIds() : { session: (agent) => `${agent}-again-${randomUUID().slice(0, 8)}` },
    emit: () => {},
  })
  const act = async (): Promise<End> => {
    if (verb === 'run') return orchestrator.start({ agent: 'lead', work: 'do it', workspace: home }, never)
    if (verb === 'resume')
      return (await engine.read('lead-1')) === undefined
        ? { kind: 'never-started' }
        : orchestrator.resume('lead-1', {}, never)
    const [session = '', name = '', decision = ''] = rest
    await engine.answer(session, name, { decision, by: 'the test' })
    return { kind: 'answered' }
  }
  const end = await act()
  await engine.close()
  return end
}
