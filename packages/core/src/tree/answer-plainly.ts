import type { AgentDefinition } from '../ports/agent.ts'
import type { EventBody } from '../ports/events.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { Report } from '../ports/report.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import { buildSessionSpec } from './build-session-spec.ts'
import type { RunResult } from './orchestrator-contract.ts'
import type { RunTree } from './run-tree.ts'
import { withNotices } from './with-notices.ts'

interface FailedStart {
  readonly spec: SessionSpec
  readonly report: Report
  /** The workspace of the request: the failed session may have its own. */
  readonly workspace: string
}

interface AnswerParts {
  readonly ports: Ports
  readonly limits: RunLimits
  readonly emit: (session: string, body: EventBody) => void
  readonly run: RunTree
}

/** Failures that the plain model may not have. A home that cannot be written is not one of them. */
const plainModelCodes = ['backend', 'unknown_model', 'tools_unsupported', 'agent_execution', 'timeout']

/** Returns whether the session ended before its model replied, in a way that the plain model may not. */
export async function couldNotStart(report: Report, ports: Pick<Ports, 'engine'>): Promise<boolean> {
  if (report.status !== 'error' || !plainModelCodes.includes(codeOf(report))) return false
  const stored = await ports.engine.read(report.session)
  return stored === undefined || !stored.entries.some((entry) => entry.role === 'assistant' && !entry.earlier)
}

/**
 * The entry agent ended before its first reply, so the plain model answers instead, without tools or delegation, if it is reached in
 * another way or only tools were missing. Its session has no parent, but belongs to the same tree.
 */
export async function answerPlainly(
  { spec: failed, report, workspace }: FailedStart,
  { ports, limits, emit, run }: AnswerParts,
  signal: AbortSignal,
): Promise<RunResult> {
  const {
    root,
    agent,
    work,
    history,
    controls,
    outputSchema,
    trace,
    startedBy,
    limits: { charged },
  } = failed
  const plain: AgentDefinition = {
    name: 'plain',
    description: 'The model alone, without tools or delegation',
    prompt: '',
    tools: { kind: 'list', names: [] },
    delegates: { kind: 'none' },
    // The limits of the failed agent apply to the plain model, too.
    ...(agent.limits && { limits: agent.limits }),
  }
  const spec = await buildSessionSpec(ports, limits, {
    id: ports.ids.session(plain.name, root),
    root,
    agent: plain,
    work,
    completion: 'text',
    outputSchema,
    // A model that only lacks tools can answer; any other failure may be the model's.
    model: codeOf(report) === 'tools_unsupported' ? failed.model : undefined,
    place: () => ({ workspace }),
    controls,
    charged,
    trace,
    startedBy,
    ...(history && { history }),
  }).catch(() => undefined)
  const result: RunResult = { kind: 'report', report }
  if (spec === undefined) return result
  if (spec.model === report.model && /backend|unknown_model/.test(codeOf(report))) return result
  const why = (report.notices ?? []).map((notice) => notice.message.replace(/\.$/, '')).join('; ')
  const message = `${agent.name} could not start (${why}), so the model answered alone, without tools or delegation`
  const notice = { code: 'agent_execution', message }
  emit(spec.id, { type: 'notice.added', notice })
  const answer = await run(spec, signal)
  const isFailed = answer.kind === 'report' && answer.report.status === 'error'
  return isFailed ? result : withNotices(answer, [notice])
}

function codeOf(report: Report): string {
  return report.notices?.at(-1)?.code ?? ''
}
