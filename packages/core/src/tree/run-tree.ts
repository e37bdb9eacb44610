import type { Accounts } from '../budget/accounts.ts'
import { Suspended } from '../ports/errors.ts'
import type { Report } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { RunResult } from './orchestrator-contract.ts'
import type { SharedLimits } from './shared-limits.ts'
import type { StopReason, Tree } from './tree.ts'

/** `runTree` with its parts. */
export type RunTree = (spec: SessionSpec, signal: AbortSignal) => Promise<RunResult>

interface RunTreeParts {
  readonly tree: Tree
  readonly accounts: Accounts
  readonly shared: SharedLimits
  /** Runs the session's loop. */
  readonly run: (spec: SessionSpec) => Promise<Report>
}

/** Runs a session within the limits that its tree shares with others. The caller owns the tree. */
export async function runTree(
  spec: SessionSpec,
  { tree, accounts, shared, run }: RunTreeParts,
  signal: AbortSignal,
): Promise<RunResult> {
  const stop: StopReason = { kind: 'cancelled', by: 'run' }
  const letGo = accounts.hold(spec)
  const onAbort = () => tree.node(spec.id)?.stop(stop)
  const leave = await shared.enter(spec.root, tree, signal)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const running = run(spec)
    // The node exists only now, so check for an earlier abort.
    if (signal.aborted) onAbort()
    if (leave.stopped !== undefined) tree.node(spec.id)?.stop(leave.stopped)
    return { kind: 'report', report: await running }
  } catch (error) {
    if (error instanceof Suspended) return { kind: 'waiting', session: spec.id, questions: error.questions }
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    letGo()
    await leave.give()
  }
}
