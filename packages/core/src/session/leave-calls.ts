import type { Draft } from '../ports/entry.ts'
import type { Report } from '../ports/report.ts'
import { outcomeOfReport } from '../tree/delegate.ts'
import { readOnce } from './decide.ts'
import { followUp } from './follow-up.ts'
import type { Outcome } from './perform.ts'
import type { Session } from './session.ts'
import type { CallState } from './session-state.ts'
import { finishedOutcome, refusalOutcome } from './settle.ts'
import { foldEntries, openCalls } from './state.ts'

/**
 * Settles what a stop left open without carrying any of it out: the person who stopped it has said something else since.
 * What children had found by then, and what they cost, is kept. A call whose effect may have happened says so.
 */
export async function leaveCalls(session: Session): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const open of openCalls(session.state)) {
    const outcome = await outcomeOf(session, open)
    drafts.push({ role: 'tool_result', tool_call_id: open.call.id, ...outcome })
  }
  return [...drafts, ...(await leaveBackground(session))]
}

const notBegun: Outcome = {
  outcome: 'cancelled',
  code: 'cancelled',
  content: 'The user stopped this call before it started.',
}

async function outcomeOf(session: Session, open: CallState): Promise<Outcome> {
  const { call, started, finished, refused } = open
  if (refused !== undefined) return refusalOutcome(refused)
  if (finished !== undefined) return finishedOutcome(finished)
  if (started === undefined) return notBegun
  // What it found and cost comes with the others of its kind.
  if (session.state.background.has(call.id)) return { content: 'Started.' }
  if (started.child !== undefined) {
    const report = await reportOf(session, started.child)
    return report === undefined ? notBegun : outcomeOfReport(report)
  }
  const read = await readOnce(session, call)
  if (read.kind === 'ready' && read.judged.tool.effect === 'read')
    return {
      outcome: 'cancelled',
      code: 'cancelled',
      content: 'The user stopped this call before it finished.',
    }
  const content = 'The user stopped this call, and it may have been carried out. Check before you repeat it.'
  return { outcome: 'in_doubt', code: 'in_doubt', content }
}

async function leaveBackground(session: Session): Promise<Draft[]> {
  const { background } = session.state
  if (background.size === 0) return []
  const found = await Promise.all([...background.values()].map((child) => reportOf(session, child)))
  const reports = found.flatMap((report) => report ?? [])
  const before = 'The user stopped the delegated tasks that were still running.'
  return [{ role: 'user', from: 'cadre', ...followUp({ calls: [...background.keys()], reports, before }) }]
}

/** The report a stopped child ended with; nothing when it never began. */
async function reportOf(session: Session, child: string): Promise<Report | undefined> {
  const stored = await session.ports.engine.read(child)
  return stored && foldEntries(stored.entries, child).ended
}
