// An agent whose call two of three people must approve.
//
//    run · resume
//    list                     counts the votes in the forms and files, like `cadre approvals`
//    approve NAME             like the command, by this person
//    answer NAME DECISION     two people answer a question of the session
import { CadreError, createOrchestrator, type Rule } from '@cadre/core'
import {
  type ApprovalRecord,
  type Approvals,
  approvalJson,
  askEverywhere,
  createApprovals,
  createPathResolver,
  createRequireApprovals,
  followApprovals,
} from '@cadre/gate'
import { openHome } from '@cadre/home'
import { createFileEngine } from '@cadre/journal'
import { agentsOf, call, countingIds, defineAgent, say, scriptedModels } from '@cadre/testing'
import { clock, createEffects } from './effects.ts'
import type { End, Play } from './programs.ts'

const lanes = { lead: [call(['launch', { what: 'rocket' }]), say('everything is settled')] }

const asks: Rule<string> = {
  by: 'policy',
  name: 'launches',
  judge: ({ tool }) =>
    tool.name === 'launch'
      ? { kind: 'ask', by: 'policy', rule: 'launches', reason: 'it cannot be taken back', risk: 'HIGH' }
      : undefined,
}

const requireApprovals = createRequireApprovals({
  policy: {
    approvals: [
      { quorum: 2, roles: ['approver'], notByStarter: false, risk: 'HIGH', place: 'policy.yaml:1' },
    ],
  },
  places: createPathResolver({}),
})

const never = new AbortController().signal
const tell = () => {}

export const play: Play = async (home, [verb = '', ...rest]) => {
  const { launch } = createEffects(home)
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
    tools: [launch],
    rules: [asks],
    ...(requireApprovals && { requireApprovals }),
    clock,
    ids: countingIds(),
    emit: () => {},
  })
  const vote = (record: ApprovalRecord, decision: string, name: string) =>
    approvals.decide(record, { decision }, { name, roles: ['approver'], via: 'command' })
  const verbs: Record<string, () => Promise<End>> = {
    run: () => orchestrator.start({ agent: 'lead', work: 'do it', workspace: home }, never),
    resume: async () =>
      (await engine.read('lead-1')) === undefined
        ? { kind: 'never-started' }
        : orchestrator.resume('lead-1', {}, never),
    list: async () => ({
      kind: 'listed',
      approvals: (await approvals.list({ all: true })).map(approvalJson) as unknown as NonNullable<
        End['approvals']
      >,
    }),
    async approve() {
      const records = await approvals.list({ all: true })
      const record = records.find(({ type }) => type !== 'in_doubt')
      if (record?.status === 'pending') await vote(record, 'approve', rest[0] ?? '')
      return { kind: record === undefined ? 'nothing' : 'decided' }
    },
    async answer() {
      const [name = '', decision = ''] = rest
      for (const person of ['bob', 'carol']) {
        const record = (await approvals.list()).find(({ question }) => question === name)
        if (record !== undefined) await vote(record, decision, person)
      }
      return { kind: 'answered' }
    },
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
