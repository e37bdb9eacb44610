import type { ChannelContext } from '@cadre/channels'
import { approvalJson } from '@cadre/gate'
import { createAgentsDuty } from '../agents/agents-duty.ts'
import { createApprovalsDuty } from '../approvals/approvals-duty.ts'
import { createCheckInsDuty } from '../check-ins/check-ins-duty.ts'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import { voterOf } from '../http/guard/voter-of.ts'
import { createSessionKeeper, type Keeper } from '../sessions/create-session-keeper.ts'
import { createSessionsDuty, type SessionsDuty } from '../sessions/sessions-duty.ts'
import { Channels } from './channels.ts'
import type { DaemonBase } from './daemon-base.ts'
import type { DaemonRuntime } from './daemon-runtime.ts'
import type { DaemonStatus } from './daemon-status.ts'
import type { DutyRunners } from './duty-runners.ts'
import type { Generations } from './generations.ts'
import type { PageDuty } from './page-duty.ts'

const defaultParallel = 8

/** The active parts of a daemon: its sessions, duties and channels. */
export interface Duties {
  readonly keeper: Keeper
  readonly sessions: SessionsDuty
  readonly agents: Duty
  /** All duties, in start order. */
  readonly all: readonly Duty[]
  readonly channels: Channels
  readonly page: PageDuty | undefined
}

/** Builds everything that acts on the home, without starting it. */
export function buildDuties(
  base: DaemonBase,
  runtime: DaemonRuntime,
  generations: Generations,
  runners: DutyRunners,
): Duties {
  const { options, note, problems, trouble } = base
  const { home } = options
  const { engine, workspace, clock } = runtime
  const parallel = () => generations.current.parts.settings.parallel ?? defaultParallel
  const keeper = (options.keeper ?? createSessionKeeper)({
    home,
    engine,
    workspace,
    trusted: runtime.trusted === true,
    parallel,
    trouble,
    parts: () => generations.current,
    note,
    problems,
    rested(ids) {
      base.publisher.changed()
      sessions.rested(ids)
    },
  })
  const context = {
    home,
    workspace,
    agents: {
      get: (name: string) => generations.current.parts.agents.get(name),
      list: () => generations.current.parts.agents.list(),
    },
    engine,
    sessions: keeper,
    note,
    problems,
    clock,
    parallel,
  } satisfies DaemonContext
  const approvals = createApprovalsDuty(context, {
    approvals: runtime.approvals,
    channels: () => channels.list(),
  })
  const wakeApprovals = () => runners.wake(approvals, 'tasks/approvals.task.md')
  const sessions = createSessionsDuty(context, {
    asks(ids) {
      approvals.asks(ids)
      wakeApprovals()
    },
  })
  const channels = new Channels({
    factories: options.channels ?? {},
    listen: options.listen,
    settings: () => generations.current.parts.settings,
    problems,
    context: (name, settings, onPost): ChannelContext => ({
      home,
      settings,
      environment: options.environment ?? {},
      receive:
        options.receive ??
        (() => Promise.reject(new Error(`unreachable: no receiver for messages of channel ${name}`))),
      approvals: async () => approvals.open(),
      voters: approvals.voters,
      async decide(id, answer, voter) {
        const counted = await approvals.decide(id, answer, voter)
        wakeApprovals()
        return counted
      },
      onPost,
      note,
      problems,
    }),
  })
  const agents = createAgentsDuty(context, {
    registry: () => generations.current.parts.registry,
    *unfinished() {
      for (const [id, { agent }] of sessions.unfinished()) if (agent !== undefined) yield [id, agent] as const
      for (const [id, agent] of keeper.open()) yield [id, agent] as const
    },
  })
  const others = options.duties?.(context) ?? []
  const checkIns = createCheckInsDuty(context, {
    facts: () => ({
      approvals: approvals.open().length,
      running: keeper.counts().running.length,
      queued: keeper.counts().queued.length,
      counts: countsOf(others),
    }),
  })
  const page = options.page?.({
    daemon: context,
    runtime,
    settings: () => generations.current.parts.settings,
    orchestrator: () => generations.current.orchestrator,
    registry: () => generations.current.parts.registry,
    async decide(record, answer, caller) {
      const voter = voterOf(caller, runtime.approvals.voters)
      const counted = await approvals.decide(record.id, answer, voter)
      if (counted !== 'unknown') {
        wakeApprovals()
        return counted
      }
      // The duty has not seen the question yet.
      const decided = await runtime.approvals.decide(record, answer, voter)
      if (decided.kind !== 'voted') await keeper.resume(record.session)
      return decided
    },
    status: () => base.status(),
    changed: () => base.publisher.changed(),
  })
  if (page !== undefined) keeper.showTo?.(page)
  base.problemsChanged = () => page?.noted('problems')
  const all = [sessions, approvals, agents, ...others, checkIns, ...(page ? [page] : [])]
  base.describeWork = () => ({
    sessions: {
      ...keeper.counts(),
      waiting: [...sessions.unfinished()].flatMap(([id, { standing }]) => (standing === 'asks' ? [id] : [])),
    },
    approvals: approvals.open().map(approvalJson),
    counts: countsOf(all),
    channels: channels.list().map(({ name }) => name),
    ...(channels.address !== undefined && { address: channels.address }),
    ...(page?.address !== undefined && { page: page.address }),
  })
  return { keeper, sessions, agents, all, channels, page }
}

/** The counts of all duties that have some, by duty. */
function countsOf(duties: readonly Duty[]): DaemonStatus['counts'] {
  return Object.fromEntries(
    duties.flatMap((duty) => {
      const counts = duty.counts?.()
      return counts === undefined ? [] : [[duty.name, counts]]
    }),
  )
}
