import {
  eventsOf,
  isEndedStatus,
  nothingCounted,
  noUsage,
  type SessionSpec,
  type StoredSession,
  spentIn,
  workWithoutHeadings,
} from '@cadre/core'
import type { SessionSummary } from '@cadre/journal'
import { applyEvent } from './apply-event.ts'
import type { SessionFacts } from './session-facts.ts'

/** `isRunning` returns whether a process is running the tree. It is called only if the session has not ended. */
export function factsOfSession(stored: StoredSession, isRunning: (root: string) => boolean): SessionFacts {
  const { spec, status, outcome, updated } = stored
  const { parent } = spec
  const facts: SessionFacts = {
    id: spec.id,
    agent: spec.agent.name,
    ...(parent && { parent: parent.session, call: parent.call }),
    root: spec.root,
    depth: spec.depth,
    state: 'working',
    work: shortWork(spec.work.content),
    ...(spec.model !== '' && { model: spec.model }),
    created: spec.created,
    updated,
    usage: noUsage,
    spent: nothingCounted,
    calls: 0,
    questions: new Map(),
    asked: 0,
    ...budgetOf(spec),
  }
  for (const event of eventsOf(stored)) applyEvent(facts, event)
  facts.spent = spentIn(stored.entries)
  // The header takes precedence: a session may have continued after a report.
  facts.state = stateOf(status, () => isRunning(spec.root))
  if (outcome !== undefined) facts.outcome = outcome
  facts.updated = updated
  if (facts.state === 'ended') facts.questions.clear()
  return facts
}

/** The budget that applies to the session's subtree, and the session whose budget pays for it. */
export function budgetOf({ limits, parent }: SessionSpec): Pick<SessionFacts, 'budget' | 'payer'> {
  const budget = limits.budget ?? limits.run?.budget
  const payer = parent === undefined ? limits.charged?.session : undefined
  return { ...(budget && { budget }), ...(payer !== undefined && { payer }) }
}

/** The facts that a list can show before the whole session file is read. */
export function factsOfSummary(summary: SessionSummary): SessionFacts {
  const { id, agent, parent, status, outcome, created, updated, work = '' } = summary
  const [above, ...call] = parent?.split('/') ?? []
  return {
    id,
    agent,
    ...(above !== undefined && { parent: above, call: call.join('/') }),
    root: id,
    depth: above === undefined ? 0 : 1,
    // Corrected when the file is read.
    state: stateOf(status, () => true),
    ...(outcome !== undefined && { outcome }),
    work: shortWork(work),
    created,
    updated,
    usage: noUsage,
    spent: nothingCounted,
    calls: 0,
    questions: new Map(),
    asked: 0,
  }
}

function stateOf(status: StoredSession['status'], isRunning: () => boolean): SessionFacts['state'] {
  if (isEndedStatus(status)) return 'ended'
  if (status === 'sleeping') return 'waiting'
  return isRunning() ? 'working' : 'stopped'
}

const maxWork = 200

/** The first line of the work, without its headings. */
export function shortWork(content: string): string {
  const line = workWithoutHeadings(content).trim().split('\n', 1)[0]?.trim() ?? ''
  return line.length > maxWork ? `${line.slice(0, maxWork - 1)}…` : line
}
