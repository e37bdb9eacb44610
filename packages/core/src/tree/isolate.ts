import type { AgentDefinition } from '../ports/agent.ts'
import type { Ports } from '../ports/ports.ts'
import type { SessionSpec } from '../ports/session-spec.ts'
import type { Isolation } from '../ports/workspaces.ts'
import type { Session } from '../session/session.ts'
import { toolsetOf } from '../vocabulary/toolset.ts'
import { allowedTargets, readDelegation } from './delegation.ts'

/** Where a new session works. */
export interface Place {
  readonly workspace: string
  readonly isolation?: Isolation
}

export interface PlaceRequest {
  readonly id: string
  readonly root: string
  readonly agent: AgentDefinition
  /** Where it works when it is not kept apart. */
  readonly shared: Place
  /** It is one of several that change things at the same time. */
  readonly parallel?: boolean
  readonly from?: readonly string[] | undefined
}

/**
 * The workspace of a new session: its own where its agent wants that, or where others change things at the same time; else the
 * one it is given. What it does on its own only because of others goes back to them when it is done.
 */
export async function isolate(ports: Ports, request: PlaceRequest, signal: AbortSignal): Promise<Place> {
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
export async function isolateLate(
  ports: Ports,
  spec: SessionSpec,
  signal: AbortSignal,
): Promise<SessionSpec> {
  const { id, root, agent, workspace, isolation, parent } = spec
  if (isolation !== undefined || parent !== undefined || agent.isolation !== 'workspace') return spec
  return { ...spec, ...(await isolate(ports, { id, root, agent, shared: { workspace } }, signal)) }
}

/**
 * Whether a delegation is carried out while others change things: the caller goes on meanwhile, or the same reply delegates to
 * more than one that can.
 */
export function isParallel(session: Session, target: AgentDefinition, background: boolean): boolean {
  const { ports, state } = session
  // It decides nothing where the agent says where it works, or where there are no workspaces.
  if (ports.workspaces === undefined || target.isolation !== undefined || !canChange(ports, target))
    return false
  if (background) return true
  let others = 0
  for (const { call, refused } of state.calls.values()) {
    const read = session.read.get(call.id)
    if (refused !== undefined || read?.kind !== 'ready' || read.judged.tool.kind !== 'delegate') continue
    const agent = ports.agents.get(readDelegation(read.judged.tool, read.judged.input).target)
    // Two are enough: a reply may have a thousand of them, and each asks.
    if (agent !== undefined && canChange(ports, agent) && ++others > 1) return true
  }
  return false
}

/** Whether an agent can change a workspace: write files or run programs, itself or through one it may delegate to. */
export function canChange(
  ports: Ports,
  agent: AgentDefinition,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const { writes, commands } = agent.boundary ?? {}
  const toolset = toolsetOf({ agent, tools: ports.tools, targets: [], completion: 'text' })
  const changes = ports.tools.some(({ name, effect, class: kind }) => {
    // Tasks and messages are kept elsewhere.
    if (kind === 'task' || kind === 'message') return false
    if (effect === 'write' ? writes !== undefined : effect !== 'execute' || commands !== undefined)
      return false
    return toolset.find(name)?.allowed === true
  })
  if (changes || seen.has(agent.name)) return changes
  const above = new Set([...seen, agent.name])
  return allowedTargets(agent, ports.agents.list(), false).some((other) => canChange(ports, other, above))
}

/** The place that a child shares with its parent. */
export function placeOf({ workspace, isolation }: SessionSpec): Place {
  return { workspace, ...(isolation && { isolation }) }
}
