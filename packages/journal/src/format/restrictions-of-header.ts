import type { AgentDefinition, SessionSpec } from '@cadre/core'
import { isObject } from '@cadre/disk'

/** Of a boundary that cannot be understood: nothing is permitted. */
const closed = { writes: 'none', commands: 'none' } as const

/**
 * The boundary of the agent in a session file. It was written by this program, so whatever else stands there is damage, and
 * damage gives less, never more.
 */
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

/** What was set for the whole tree, likewise. */
export function controlsOf(controls: unknown): Pick<SessionSpec, 'controls'> {
  if (controls === undefined) return {}
  const keys = ['approvalRequired', 'readOnly', 'deniedTools']
  if (!isObject(controls) || !hasOnly(controls, keys))
    return { controls: { approvalRequired: true, readOnly: true, deniedTools: ['*'] } }
  const { approvalRequired = false, readOnly = false, deniedTools = [] } = controls
  const denied = Array.isArray(deniedTools) ? deniedTools.map((name) => (isName(name) ? name : '*')) : ['*']
  return {
    controls: {
      ...(approvalRequired !== false && { approvalRequired: true }),
      ...(readOnly !== false && { readOnly: true }),
      ...(denied.length > 0 && { deniedTools: denied }),
    },
  }
}

/** How it is kept apart, likewise: what cannot be understood is as if it could not be. */
export function isolationOf(isolation: unknown, id: string): Pick<SessionSpec, 'isolation'> {
  if (isolation === undefined) return {}
  if (isObject(isolation) && isName(isolation['session'])) {
    const { kind, session, base, returns, reason } = isolation
    if (kind === 'own' && typeof base === 'string')
      return { isolation: { kind, session, base, ...(returns === true && { returns }) } }
    if (kind === 'missing' && typeof reason === 'string') return { isolation: { kind, session, reason } }
  }
  const reason = 'its file does not describe its isolation'
  return { isolation: { kind: 'missing', session: id, reason } }
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.trim() !== ''
}

function hasOnly(value: object, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}
