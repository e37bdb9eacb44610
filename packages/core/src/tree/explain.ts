import type { AgentDefinition } from '../ports/agent.ts'
import type { Gate, Verdict } from '../ports/gate.ts'
import type { JsonObject } from '../ports/json.ts'
import type { RunLimits } from '../ports/limits.ts'
import type { Ports } from '../ports/ports.ts'
import type { Controls, SessionSpec } from '../ports/session-spec.ts'
import { readCall } from '../rules/create-gate.ts'
import { toolsetOf } from '../vocabulary/toolset.ts'
import { buildSessionSpec } from './build-session-spec.ts'
import { refuseDelegation } from './delegation.ts'

export interface ExplainRequest {
  /** From the entry agent down to the one that would make the call. */
  readonly chain: readonly [AgentDefinition, ...AgentDefinition[]]
  readonly tool: string
  readonly input: JsonObject
  readonly workspace: string
  readonly model?: string
  /** False: no agent in this run may delegate. */
  readonly delegation?: boolean
  readonly controls?: Controls
}

export interface CallExplanation {
  readonly verdict: Verdict
  /** The session that would make the call. */
  readonly session: SessionSpec
}

interface ExplainParts {
  readonly ports: Ports
  readonly limits: RunLimits
  readonly gate: Gate
}

/**
 * Returns what the gate would decide for a call, with the same sessions as in a run, without running anything. If an agent in the chain
 * may not delegate to the next one, returns the refusal of that delegation.
 */
export async function explainCall(
  request: ExplainRequest,
  { ports, limits, gate }: ExplainParts,
  signal: AbortSignal,
): Promise<CallExplanation> {
  const { chain, tool, input, workspace, model, delegation = true, controls } = request
  const [entry, ...below] = chain
  // A verdict does not depend on what the session knows.
  const { inform: _, ...quiet } = ports
  const work = { content: '' }
  let session = await buildSessionSpec(quiet, limits, {
    id: 'explained',
    agent: entry,
    completion: 'text',
    work,
    place: () => ({ workspace }),
    model,
    delegation,
    controls,
  })
  for (const agent of below) {
    const refusal = refuseDelegation(session, agent.name, limits.depth)
    if (refusal !== undefined) {
      const { code: rule, reason } = refusal
      return { verdict: { kind: 'deny', by: 'role', rule, reason }, session }
    }
    const parent = { spec: session, call: 'explained' }
    session = await buildSessionSpec(quiet, limits, {
      id: `explained-${session.depth + 1}`,
      agent,
      parent,
      completion: 'report',
      work,
    })
  }
  const refused = ports.refuse?.(session)
  if (refused !== undefined) {
    return { verdict: { kind: 'deny', by: 'policy', rule: 'policy', reason: refused.message }, session }
  }
  const { agent, targets, completion } = session
  const toolset = toolsetOf({ agent, tools: ports.tools, targets, completion })
  const call = {
    id: 'explained',
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  } as const
  const read = await readCall(call, session, toolset)
  if (read.kind === 'refused')
    return {
      verdict: { kind: 'deny', by: read.by, rule: read.rule ?? read.by, reason: read.reason },
      session,
    }
  if (read.kind === 'failed')
    return { verdict: { kind: 'deny', by: 'tool', rule: 'arguments', reason: read.reason }, session }
  return { verdict: await gate.judge(read.judged, session, signal), session }
}
