import type { AgentDefinition } from '../ports/agent.ts'
import type { Isolation } from '../ports/isolation.ts'
import type { Ports } from '../ports/ports.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Session } from '../session/session.ts'
import { toolsetOf } from '../vocabulary/toolset.ts'
import { allowedTargets, readDelegation } from './delegation.ts'

/** The workspace of a new session. */
export interface Place {
  readonly workspace: string
  readonly isolation?: Isolation
}

export interface PlaceRequest {
  readonly id: string
  readonly root: string
  readonly agent: AgentDefinition
  /** The workspace to use if the session is not isolated. */
  readonly shared: Place
  /** True if several sessions write at the same time. */
  readonly parallel?: boolean
  readonly from?: readonly string[] | undefined
}

/**
 * Chooses the workspace of a new session: its own if its agent requests that or others write at the same time, otherwise the shared one. If
 * it is isolated only because of others, its changes are merged when it completes.
 */
export async function isolateSession(
  ports: Ports,
  request: PlaceRequest,
  signal: AbortSignal,
): Promise<Place> {
  const { id, root, agent, shared, parallel = false, from } = request
  const { workspaces } = ports
  const wants = agent.isolation === 'workspace' || (agent.isolation === undefined && parallel)
  if (workspaces === undefined || !wants) return shared
  const base = shared.workspace
  const wanted = { session: id, root, agent: agent.name, base, ...(from && from.length > 0 && { from }) }
  const prepared = await workspaces.prepare(wanted, signal)
  if (prepared.kind === 'impossible')
    return { workspace: base, isolation: { kind: 'missing', session: id, reason: prepared.reason } }
  const returns = agent.isolation === undefined && { returns: true as const }
  return { workspace: prepared.path, isolation: { kind: 'own', session: id, base, ...returns } }
}

/**
 * Creates the workspace that the agent asks for, for a session that a person started by writing its file or a chat log. No workspace
 * could be created before.
 */
export async function isolateExistingSession(
  ports: Ports,
  spec: SessionSpec,
  signal: AbortSignal,
): Promise<SessionSpec> {
  const { id, root, agent, workspace, isolation, parent } = spec
  if (isolation !== undefined || parent !== undefined || agent.isolation !== 'workspace') return spec
  return { ...spec, ...(await isolateSession(ports, { id, root, agent, shared: { workspace } }, signal)) }
}

/**
 * Returns whether a delegation runs while other sessions write: it runs in the background, or the same reply delegates to several agents
 * that can write.
 */
export function isParallel(session: Session, target: AgentDefinition, background: boolean): boolean {
  const { ports, state } = session
  // The result does not matter if the agent sets its isolation or if workspaces are not available.
  if (ports.workspaces === undefined || target.isolation !== undefined || !canChange(ports, target))
    return false
  if (background) return true
  let others = 0
  for (const { call, refused } of state.calls.values()) {
    const read = session.read.get(call.id)
    if (refused !== undefined || read?.kind !== 'ready' || read.judged.tool.kind !== 'delegate') continue
    const agent = ports.agents.get(readDelegation(read.judged.tool, read.judged.input).target)
    // Stop at two: a reply may have a thousand delegations, and each runs this check.
    if (agent !== undefined && canChange(ports, agent) && ++others > 1) return true
  }
  return false
}

/** Returns whether an agent, or one it may delegate to, can write files or run programs. */
export function canChange(
  ports: Ports,
  agent: AgentDefinition,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const { writes, commands } = agent.boundary ?? {}
  const toolset = toolsetOf({ agent, tools: ports.tools, targets: [], completion: 'text' })
  const changes = ports.tools.some(({ name, effect, class: kind }) => {
    // Tasks and messages are not in the workspace.
    if (kind === 'task' || kind === 'message') return false
    if (effect === 'write' ? writes !== undefined : effect !== 'execute' || commands !== undefined)
      return false
    return toolset.find(name)?.allowed === true
  })
  if (changes || seen.has(agent.name)) return changes
  const above = new Set([...seen, agent.name])
  return allowedTargets(agent, ports.agents.list(), false).some((other) => canChange(ports, other, above))
}

/** The workspace that a child shares with its parent. */
export function sharedPlace({ workspace, isolation }: SessionSpec): Place {
  return { workspace, ...(isolation && { isolation }) }
}
