import type { Draft } from '../ports/entry.ts'
import type { Report } from '../ports/report.ts'
import { outcomeFromReport } from '../tree/delegate.ts'
import { readCachedCall } from './decide.ts'
import { followUpMessage } from './follow-up.ts'
import type { Outcome } from './perform.ts'
import type { Session } from './session.ts'
import type { CallState } from './session-state.ts'
import { finishedOutcome, refusalOutcome } from './settle.ts'
import { endLeftover } from './settle-call-in-doubt.ts'
import { foldEntries, openCalls } from './state.ts'

/**
 * Settles the calls that a stop left open without running them, because the person has sent a new message since. Keeps the findings and
 * usage of children. A call whose effect may have happened is recorded as in doubt.
 */
export async function settleOpenCalls(session: Session): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const open of openCalls(session.state)) {
    const outcome = await outcomeOf(session, open)
    drafts.push({ role: 'tool_result', tool_call_id: open.call.id, ...outcome })
  }
  return [...drafts, ...(await settleBackground(session))]
}

const notStartedOutcome: Outcome = {
  outcome: 'cancelled',
  code: 'cancelled',
  content: 'The user stopped this call before it started.',
}

async function outcomeOf(session: Session, open: CallState): Promise<Outcome> {
  const { call, started, finished, refused } = open
  if (refused !== undefined) return refusalOutcome(refused)
  if (finished !== undefined) return finishedOutcome(finished)
  if (started === undefined) return notStartedOutcome
  // Its findings and usage follow with the other background results.
  if (session.state.background.has(call.id)) return { content: 'Started.' }
  if (started.child !== undefined) {
    const report = await reportOf(session, started.child)
    return report === undefined ? notStartedOutcome : outcomeFromReport(report)
  }
  const read = await readCachedCall(session, call)
  if (read.kind === 'ready' && read.judged.tool.effect === 'read')
    return {
      outcome: 'cancelled',
      code: 'cancelled',
      content: 'The user stopped this call before it finished.',
    }
  if (read.kind === 'ready') await endLeftover(session, read.judged)
  const content = 'The user stopped this call, and it may have been carried out. Check before you repeat it.'
  return { outcome: 'in_doubt', code: 'in_doubt', content }
}

async function settleBackground(session: Session): Promise<Draft[]> {
  const { background } = session.state
  if (background.size === 0) return []
  const found = await Promise.all([...background.values()].map((child) => reportOf(session, child)))
  const reports = found.flatMap((report) => report ?? [])
  const before = 'The user stopped the delegated tasks that were still running.'
  return [
    { role: 'user', from: 'cadre', ...followUpMessage({ calls: [...background.keys()], reports, before }) },
  ]
}

/** Returns the report of a stopped child, or `undefined` if it never started. */
async function reportOf(session: Session, child: string): Promise<Report | undefined> {
  const stored = await session.ports.engine.read(child)
  return stored && foldEntries(stored.entries, child).ended
}
