import { CadreError, type Orchestrator, type Report } from '@cadre/core'
import type { TreeLog } from '../log/tree-log.ts'
import type { RestResult, TreeResult } from '../tree-order.ts'

export interface RestingTree {
  readonly log: TreeLog
  readonly orchestrator: Orchestrator
  /** The result of the last run. */
  readonly previous: TreeResult | undefined
}

/**
 * Returns the result of a tree whose order runs nothing. If the result of its last run does not say how it rests, its open sessions
 * continue: an order that would have continued them was taken back, or somebody has killed an invocation at the server.
 */
export async function restAsIs(
  { log, orchestrator, previous }: RestingTree,
  signal: AbortSignal,
): Promise<RestResult> {
  if (saysHowItRests(previous, log)) return previous
  const open = log.isOpen(log.root) ? log.root : log.ids().find((id) => log.isOpen(id))
  if (open !== undefined) return orchestrator.resume(open, {}, signal)
  const entries = (await log.load(log.root))?.entries
  if (entries === undefined) throw new CadreError('not_found', `there is no session ${log.root}.`)
  const ended = entries.findLast((entry) => entry.role === 'event' && entry.type === 'session.ended')
  // A person may have removed the end from the record.
  if (ended?.role !== 'event') return { kind: 'waiting', session: log.root, questions: [] }
  return { kind: 'report', report: ended['report'] as unknown as Report }
}

function saysHowItRests(result: TreeResult | undefined, log: TreeLog): result is RestResult {
  if (result === undefined || result.kind === 'continued') return false
  return result.kind !== 'waiting' || log.isOpen(result.session)
}
