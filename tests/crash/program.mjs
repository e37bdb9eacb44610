// A team on session files, in a process that kills itself at a given point.
//
//   node program.mjs HOME run            starts the run
//   node program.mjs HOME resume         continues it
//   node program.mjs HOME answer NAME DECISION
//
// Points are counted before and after every call that changes the disk: journal appends, syncs, leases, and the effects of
// the tools. CADRE_KILL_AT=n ends the process with SIGKILL at the n-th. The last line on stdout is what came of it.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [home, verb, ...rest] = process.argv.slice(2)
const killAt = Number(process.env.CADRE_KILL_AT ?? Number.POSITIVE_INFINITY)
const effects = join(home, '..', 'effects.log')
let points = 0
let armed = false

const point = () => {
  if (!armed) return
  points += 1
  if (points < killAt) return
  process.kill(process.pid, 'SIGKILL')
  // The signal may take a moment; nothing more may happen meanwhile.
  for (;;) {}
}

const changing = [
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'renameSync',
  'linkSync',
  'unlinkSync',
  'ftruncateSync',
  'truncateSync',
  'fsyncSync',
  'fdatasyncSync',
  'openSync',
  'mkdirSync',
  'utimesSync',
  'futimesSync',
  'rmSync',
]
for (const name of changing) {
  const original = fs[name]
  fs[name] = (...args) => {
    point()
    const result = original(...args)
    point()
    return result
  }
}
for (const name of ['fdatasync', 'fsync', 'write']) {
  const original = fs[name]
  fs[name] = (...args) => {
    point()
    const done = args.pop()
    original(...args, (...results) => {
      point()
      done(...results)
    })
  }
}
syncBuiltinESMExports()

const { createOrchestrator, defineTool, object, string } = await import('@cadre/core')
const { createFileEngine, openHome } = await import('@cadre/files')
const { agentsOf, call, countingIds, defineAgent, say, scriptedModels } = await import('@cadre/testing')

const clock = {
  now: Date.now,
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

const lines = () => (fs.existsSync(effects) ? fs.readFileSync(effects, 'utf8').split('\n') : [])

/** Can be checked afterwards, like a file that is written. */
const mark = defineTool({
  name: 'mark',
  description: 'Leaves a mark',
  class: 'edit',
  effect: 'write',
  input: object({ what: string('what') }),
  run: async ({ what }) => {
    fs.appendFileSync(effects, `mark ${what}\n`)
    return { content: `marked ${what}` }
  },
  check: async ({ what }) => (lines().includes(`mark ${what}`) ? 'done' : 'not_done'),
})

/** Cannot be checked, like a message that was sent. */
const launch = defineTool({
  name: 'launch',
  description: 'Cannot be taken back',
  class: 'execute',
  effect: 'execute',
  input: object({ what: string('what') }),
  run: async ({ what }) => {
    fs.appendFileSync(effects, `launch ${what}\n`)
    return { content: `launched ${what}` }
  },
})

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

armed = true
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
armed = false
process.stdout.write(`${JSON.stringify({ ...result, points })}\n`)
