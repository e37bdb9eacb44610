import type { Accounts } from '../budget/accounts.ts'
import type { AgentDefinition } from '../ports/agent.ts'
import { CadreError } from '../ports/errors.ts'
import type { EventBody } from '../ports/events.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import { workOf } from '../ports/session-spec.ts'
import { answerPlainly, couldNotStart } from './answer-plainly.ts'
import { buildSpecWithParts } from './build-session-spec.ts'
import { canChange, isolateSession } from './isolate.ts'
import type { RunResult, StartRequest } from './orchestrator-contract.ts'
import type { RunTree } from './run-tree.ts'
import { startNotices } from './start-notices.ts'
import { withNotices } from './with-notices.ts'

interface NewRun {
  /** The id of the entry session. */
  readonly id: string
  readonly agent: AgentDefinition
  readonly request: StartRequest
}

interface StartParts {
  readonly ports: Ports
  readonly limits: RunLimits
  readonly accounts: Accounts
  readonly emit: (session: string, body: EventBody) => void
  readonly run: RunTree
}

/** Starts an entry session. If its agent cannot start, the plain model answers, unless the request forbids that. The caller owns the tree. */
export async function startRun(
  { id, agent, request }: NewRun,
  { ports, limits, accounts, emit, run }: StartParts,
  signal: AbortSignal,
): Promise<RunResult> {
  const { workspace, isolation, from, parallel: wanted, charged, ...rest } = request
  const shared = { workspace, ...(isolation && { isolation }) }
  const parallel = wanted === true && canChange(ports, agent)
  if (request.id !== undefined) await requireNew(id, ports)
  const payer = charged === undefined ? undefined : await accounts.storedPayer(charged)
  // The person who started the run that caused this one has also started this one.
  const startedBy = payer?.spec.startedBy ?? request.startedBy
  const { spec, notices: ofKnowledge } = await buildSpecWithParts(ports, limits, {
    ...rest,
    startedBy,
    agent,
    work: workOf(request.work),
    id,
    place: () => isolateSession(ports, { id, root: id, agent, shared, parallel, from }, signal),
    charged: await accounts.payerOf(charged),
    completion: 'text',
  })
  const notices = [...(await startNotices(spec, ports)), ...ofKnowledge]
  for (const notice of notices) emit(spec.id, { type: 'notice.added', notice })
  const result = await run(spec, signal)
  const isFinal = result.kind === 'waiting' || request.plain === false
  if (isFinal || !(await couldNotStart(result.report, ports))) return withNotices(result, notices)
  const failed = { spec, report: result.report, workspace }
  return withNotices(await answerPlainly(failed, { ports, limits, emit, run }, signal), notices)
}

async function requireNew(id: string, ports: Ports): Promise<void> {
  if ((await ports.engine.read(id)) === undefined) return
  throw new CadreError('usage', `session ${id} already exists. Continue it, or choose another id.`)
}
