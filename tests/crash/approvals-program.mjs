// An agent that asks before it acts, in a process that kills itself at a given point.
//
//   node approvals-program.mjs HOME run
//   node approvals-program.mjs HOME resume
//   node approvals-program.mjs HOME approve|reject       as the command does it
//   node approvals-program.mjs HOME list                 as `cadre approvals --all` does it
//   node approvals-program.mjs HOME answer NAME DECISION
//
// Where it may die: `kill-points.mjs`. The last line on stdout is what came of it.
import { arm, disarm } from './kill-points.mjs'

const [home, verb, ...rest] = process.argv.slice(2)
const { createOrchestrator } = await import('@cadre/core')
const { createFileEngine } = await import('@cadre/journal')
const { openHome } = await import('@cadre/home')
const { approvalJson, askEverywhere, createApprovals, followApprovals } = await import('@cadre/gate')
const { agentsOf, call, countingIds, defineAgent, say, scriptedModels } = await import('@cadre/testing')

const { clock, createEffects } = await import('./effects.mjs')
const { launch, mark } = createEffects(home)

const models = scriptedModels({
  lead: [
    call(
      ['mark', { what: 'before' }],
      ['launch', { what: 'rocket\n- [x] now' }],
      ['mark', { what: 'after' }],
    ),
    say('everything is settled'),
  ],
})

const asks = {
  by: 'policy',
  name: 'launches',
  judge: ({ tool }) =>
    tool.name === 'launch'
      ? { kind: 'ask', by: 'policy', rule: 'launches', reason: 'it cannot be taken back', risk: 'HIGH' }
      : undefined,
}

arm()
const place = openHome({ home, cwd: home, env: {} })
const tell = () => {}
const files = await createFileEngine({
  home: place,
  clock,
  answer: (session, question, signal) => askEverywhere(approvals, { session, question }, signal),
})
const approvals = createApprovals({ home: place, engine: files, clock, user: 'the system', tell })
const engine = followApprovals(files, approvals, { home: place, tell })
const orchestrator = createOrchestrator({
  engine,
  models,
  agents: agentsOf([defineAgent({ name: 'lead' })]),
  tools: [mark, launch],
  rules: [asks],
  clock,
  ids: countingIds(),
  emit: () => {},
})

const never = new AbortController().signal
const isStarted = async () => (await engine.read('lead-1')) !== undefined
const verbs = {
  run: () => orchestrator.start({ agent: 'lead', work: 'do it', workspace: home }, never),
  resume: async () =>
    (await isStarted()) ? orchestrator.resume('lead-1', {}, never) : { kind: 'never-started' },
  async list() {
    const all = await approvals.list({ all: true })
    return { kind: 'listed', approvals: all.map(approvalJson) }
  },
  async answer() {
    const [name, decision] = rest
    await engine.answer('lead-1', name, { decision, by: 'the test' })
    return { kind: 'answered' }
  },
  approve: () => decide('approve'),
  reject: () => decide('reject'),
}

async function decide(decision) {
  const [record] = (await approvals.list({ all: true })).filter(({ type }) => type !== 'in_doubt')
  if (record === undefined) return { kind: 'nothing' }
  if (record.status !== 'pending') return { kind: 'decided', before: true }
  const decided = await approvals.decide(record, { decision, by: 'the command' })
  return { kind: 'decided', how: decided.kind, answer: decided.answer }
}

let result
try {
  result = await verbs[verb]()
} catch (error) {
  if (error?.code !== 'owned') throw error
  result = { kind: 'owned' }
}
await engine.close()
process.stdout.write(`${JSON.stringify({ ...result, points: disarm() })}\n`)
