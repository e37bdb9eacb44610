// A team on session files, in a process that kills itself at a given point.
//
//   node program.mjs HOME run            starts the run
//   node program.mjs HOME resume         continues it
//   node program.mjs HOME answer NAME DECISION
//
// Where it may die: `kill-points.mjs`. The last line on stdout is what came of it.
import { arm, disarm } from './kill-points.mjs'

const [home, verb, ...rest] = process.argv.slice(2)
const { createOrchestrator, defineTool, object, string } = await import('@cadre/core')
const { createFileEngine } = await import('@cadre/journal')
const { openHome } = await import('@cadre/home')
const { agentsOf, call, countingIds, defineAgent, say, scriptedModels } = await import('@cadre/testing')

const { clock, createEffects } = await import('./effects.mjs')
const { launch, mark } = createEffects(home)

const look = defineTool({
  name: 'look',
  description: 'Reads',
  class: 'read',
  effect: 'read',
  input: object({ path: string('path') }),
  run: async ({ path }) => ({ content: `saw ${path}` }),
})

const work = (agentName, workDescription) => [
  'delegateWork',
  { agentName, workDescription, reportExpectations: 'all of it' },
]
const models = scriptedModels({
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
})

arm()
const engine = await createFileEngine({ home: openHome({ home, cwd: home, env: {} }), clock })
const orchestrator = createOrchestrator({
  engine,
  models,
  agents: agentsOf(['lead', 'scout', 'builder', 'critic'].map((name) => defineAgent({ name }))),
  tools: [mark, launch, look],
  clock,
  ids:
    verb === 'run'
      ? countingIds()
      : { session: (agent) => `${agent}-again-${process.pid}-${Math.random().toString(36).slice(2, 8)}` },
  emit: () => {},
})

const never = new AbortController().signal
let result
if (verb === 'run')
  result = await orchestrator.start({ agent: 'lead', work: 'do it', workspace: home }, never)
else if (verb === 'resume')
  result =
    (await engine.read('lead-1')) === undefined
      ? { kind: 'never-started' }
      : await orchestrator.resume('lead-1', {}, never)
else {
  const [session, name, decision] = rest
  await engine.answer(session, name, { decision, by: 'the test' })
  result = { kind: 'answered' }
}
await engine.close()
process.stdout.write(`${JSON.stringify({ ...result, points: disarm() })}\n`)
