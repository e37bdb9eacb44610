import { type AgentDefinition, isObject, type SessionSpec } from '@cadre/core'

/** The value of an unreadable boundary: nothing is permitted. */
const closed = { writes: 'none', commands: 'none' } as const

/** Reads the boundary of the agent from a session file. Cadre wrote it, so anything unexpected is damage, which must never grant more. */
export function boundaryOf(agent: unknown): Pick<AgentDefinition, 'boundary'> {
  if (agent === undefined) return {}
  if (!isObject(agent)) return { boundary: closed }
  const { boundary } = agent
  if (boundary === undefined) return {}
  if (!isObject(boundary) || !hasOnly(boundary, ['writes', 'commands'])) return { boundary: closed }
  const { writes, commands } = boundary
  return {
    boundary: {
      ...(writes !== undefined && { writes: writes === 'artifact' ? writes : 'none' }),
      ...(commands !== undefined && { commands: commands === 'copy' ? commands : 'none' }),
    },
  }
}

/** Reads the controls of the tree in the same way. */
export function controlsOf(controls: unknown): Pick<SessionSpec, 'controls'> {
  if (controls === undefined) return {}
  const keys = ['approvalRequired', 'readOnly', 'deniedTools', 'noTeamEffects']
  if (!isObject(controls) || !hasOnly(controls, keys))
    return { controls: { approvalRequired: true, readOnly: true, deniedTools: ['*'] } }
  const { approvalRequired = false, readOnly = false, deniedTools = [], noTeamEffects = false } = controls
  const denied = Array.isArray(deniedTools) ? deniedTools.map((name) => (isName(name) ? name : '*')) : ['*']
  return {
    controls: {
      ...(approvalRequired !== false && { approvalRequired: true }),
      ...(readOnly !== false && { readOnly: true }),
      ...(denied.length > 0 && { deniedTools: denied }),
      ...(noTeamEffects !== false && { noTeamEffects: true }),
    },
  }
}

/** Reads the isolation in the same way. An unreadable one counts as missing. */
export function isolationOf(isolation: unknown, id: string): Pick<SessionSpec, 'isolation'> {
  if (isolation === undefined) return {}
  if (isObject(isolation) && isName(isolation['session'])) {
    const { kind, session, base, returns, reason } = isolation
    if (kind === 'own' && typeof base === 'string')
      return { isolation: { kind, session, base, ...(returns === true && { returns }) } }
    if (kind === 'missing' && typeof reason === 'string') return { isolation: { kind, session, reason } }
  }
  const reason = "the session file does not describe the session's isolation"
  return { isolation: { kind: 'missing', session: id, reason } }
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== ''
}

function hasOnly(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}
