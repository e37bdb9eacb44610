// An agent that asks before it acts.
//
//    run · resume
//    approve · reject         like the command
//    list                     like `cadre approvals --all`
//    answer NAME DECISION     answers a question of the session
import { CadreError, createOrchestrator, type Rule } from '@cadre/core'
import { type Approvals, approvalJson, askEverywhere, createApprovals, followApprovals } from '@cadre/gate'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { agentsOf, call, countingIds, defineAgent, say, scriptedModels } from '@cadre/testing'
import { clock, createEffects } from './effects.ts'
import type { End, Play } from './programs.ts'

const lanes = {
  lead: [
    call(
      ['mark', { what: 'before' }],
      ['launch', { what: 'rocket\n- [x] now' }],
      ['mark', { what: 'after' }],
    ),
    say('everything is settled'),
  ],
}

const asks: Rule<string> = {
  by: 'policy',
  name: 'launches',
  judge: ({ tool }) =>
    tool.name === 'launch'
      ? { kind: 'ask', by: 'policy', rule: 'launches', reason: 'it cannot be taken back', risk: 'HIGH' }
      : undefined,
}

const never = new AbortController().signal
const tell = () => {}

export const play: Play = async (home, [verb = '', ...rest]) => {
  const { launch, mark } = createEffects(home)
  const place = openHome({ home, cwd: home, env: {} })
  const files = await createFileEngine({
    home: place,
    clock,
    answer: (session, question, signal) => askEverywhere(approvals, { session, question }, signal),
  })
  const approvals: Approvals = createApprovals({
    home: place,
    engine: files,
    clock,
    user: 'the system',
    tell,
  })
  const engine = followApprovals(files, approvals, { home: place, tell })
  const orchestrator = createOrchestrator({
    engine,
    models: scriptedModels(lanes),
    agents: agentsOf([defineAgent({ name: 'lead' })]),
    tools: [mark, launch],
    rules: [asks],
    clock,
    ids: countingIds(),
    emit: () => {},
  })
  const isStarted = async () => (await engine.read('lead-1')) !== undefined
  const decide = async (decision: string): Promise<End> => {
    const [record] = (await approvals.list({ all: true })).filter(({ type }) => type !== 'in_doubt')
    if (record === undefined) return { kind: 'nothing' }
    if (record.status === 'pending')
      await approvals.decide(record, { decision, by: 'the command' }, approvals.voters.here('command'))
    return { kind: 'decided' }
  }
  const verbs: Record<string, () => Promise<End>> = {
    run: () => orchestrator.start({ agent: 'lead', work: 'do it', workspace: home }, never),
    resume: async () =>
      (await isStarted()) ? orchestrator.resume('lead-1', {}, never) : { kind: 'never-started' },
    list: async () => ({
      kind: 'listed',
      approvals: (await approvals.list({ all: true })).map(approvalJson) as unknown as NonNullable<
        End['approvals']
      >,
    }),
    async answer() {
      const [name = '', decision = ''] = rest
      await engine.answer('lead-1', name, { decision, by: 'the test' })
      return { kind: 'answered' }
    },
    approve: () => decide('approve'),
    reject: () => decide('reject'),
  }
  const act = async (): Promise<End> => {
    try {
      return (await verbs[verb]?.()) ?? { kind: 'no such verb' }
    } catch (error) {
      if (!(error instanceof CadreError) || error.code !== 'owned') throw error
      return { kind: 'owned' }
    }
  }
  const end = await act()
  await engine.close()
  return end
}
